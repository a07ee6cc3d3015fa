/* Programs written for other compilers pass options that clang does not know: OpenCL hosts pass
 * -cl-nv-verbose, CUDA build lines -arch=sm_35. One table says how each is handled. */
#include "front/options.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Length of the character constant that is the whole value at `p`, as in -DCLASS='S'; 0 if there is
 * none. OpenCL's other compilers keep its quotes. */
static size_t char_constant_len(const char *p, const struct strbuf *word)
{
    const char *before = strbuf_text(word);
    size_t n_before = strlen(before), body = p[1] == '\\' && p[2] ? 2 : 1;
    if (*p != '\'' || !n_before || before[n_before - 1] != '=' || !p[1] || p[1] == '\'')
        return 0;
    return p[1 + body] == '\'' && (!p[2 + body] || is_blank(p[2 + body])) ? 2 + body : 0;
}

/* Copies a quoted or unquoted piece of one word. Returns its end, NULL if a quote is not closed. */
static const char *copy_piece(const char *p, struct strbuf *word)
{
    size_t constant = char_constant_len(p, word);
    if (constant) {
        strbuf_add_n(word, p, constant);
        return p + constant;
    }
    if (*p == '\'' || *p == '"') {
        char quote = *p++;
        for (; *p && *p != quote; p++) {
            if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
                p++;
            strbuf_add_char(word, *p);
        }
        return *p ? p + 1 : NULL;
    }
    if (*p == '\\' && p[1])
        p++;
    strbuf_add_char(word, *p);
    return p + 1;
}

bool options_split(const char *text, struct arg_list *words, struct strbuf *error)
{
    struct strbuf word = {0};
    const char *p = text ? text : "";
    for (;;) {
        while (is_blank(*p))
            p++;
        if (!*p)
            break;
        strbuf_clear(&word);
        const char *start = p;
        while (p && *p && !is_blank(*p))
            p = copy_piece(p, &word);
        if (!p) {
            strbuf_addf(error, "build options: a quote is not closed: %s\n", start);
            break;
        }
        args_add(words, strbuf_text(&word));
    }
    strbuf_destroy(&word);
    return p != NULL;
}

enum option_action {
    OPTION_DROP,   /* has no meaning for a simulated GPU */
    OPTION_REFUSE, /* would change what is compiled or where the result goes */
    OPTION_ARCH,   /* the value is a GPU architecture */
    OPTION_FAST,   /* approximate mathematics */
    OPTION_PLAIN, /* no optimisation: clang's driver has it, but a -O, such as ours, overrides it */
    OPTION_PASS,  /* clang knows it; listed because a value may follow as a separate word */
};

enum option_value {
    VALUE_NONE,   /* the word is the whole option */
    VALUE_JOINED, /* anything may follow in the same word */
    VALUE_EITHER, /* the value follows in the same word, or is the next word */
};

static const struct option_rule {
    const char *name;
    enum option_value value;
    enum option_action action;
} option_rules[] = {
    {"-D", VALUE_EITHER, OPTION_PASS},
    {"-U", VALUE_EITHER, OPTION_PASS},
    {"-I", VALUE_EITHER, OPTION_PASS},
    {"-include", VALUE_EITHER, OPTION_PASS},
    {"-imacros", VALUE_EITHER, OPTION_PASS},
    {"-isystem", VALUE_EITHER, OPTION_PASS},
    {"-iquote", VALUE_EITHER, OPTION_PASS},
    {"-idirafter", VALUE_EITHER, OPTION_PASS},
    {"-mllvm", VALUE_EITHER, OPTION_PASS},
    {"-Xclang", VALUE_EITHER, OPTION_PASS},

    {"-cl-opt-disable", VALUE_NONE, OPTION_PLAIN},
    {"-cl-nv-", VALUE_JOINED, OPTION_DROP},
    {"-cl-kernel-arg-info", VALUE_NONE, OPTION_DROP},
    {"-cl-no-subgroup-ifp", VALUE_NONE, OPTION_DROP},
    {"-cl-intel-", VALUE_JOINED, OPTION_DROP},
    {"-fno-bin-", VALUE_JOINED, OPTION_DROP},
    {"-fbin-", VALUE_JOINED, OPTION_DROP},
    {"-save-temps", VALUE_JOINED, OPTION_DROP},
    {"--save-temps", VALUE_JOINED, OPTION_DROP},
    {"-Xptxas", VALUE_EITHER, OPTION_DROP},
    {"--ptxas-options", VALUE_EITHER, OPTION_DROP},
    {"-Xcompiler", VALUE_EITHER, OPTION_DROP},
    {"-Xlinker", VALUE_EITHER, OPTION_DROP},
    {"-maxrregcount", VALUE_EITHER, OPTION_DROP},
    {"--maxrregcount", VALUE_EITHER, OPTION_DROP},
    {"-ccbin", VALUE_EITHER, OPTION_DROP},
    {"-gencode", VALUE_EITHER, OPTION_DROP},
    {"-code", VALUE_EITHER, OPTION_DROP},
    {"-rdc", VALUE_EITHER, OPTION_DROP},
    {"--relocatable-device-code", VALUE_EITHER, OPTION_DROP},
    {"-lineinfo", VALUE_NONE, OPTION_DROP},
    {"-L", VALUE_EITHER, OPTION_DROP},
    {"-l", VALUE_EITHER, OPTION_DROP},
    {"-c", VALUE_NONE, OPTION_DROP},
    {"-m64", VALUE_NONE, OPTION_DROP},

    {"-arch", VALUE_EITHER, OPTION_ARCH},
    {"--gpu-architecture", VALUE_EITHER, OPTION_ARCH},
    {"--cuda-gpu-arch", VALUE_EITHER, OPTION_ARCH},
    {"-use_fast_math", VALUE_NONE, OPTION_FAST},
    {"--use_fast_math", VALUE_NONE, OPTION_FAST},

    {"-o", VALUE_EITHER, OPTION_REFUSE},
    {"-x", VALUE_EITHER, OPTION_REFUSE},
    {"-E", VALUE_NONE, OPTION_REFUSE},
    {"-S", VALUE_NONE, OPTION_REFUSE},
    {"-M", VALUE_JOINED, OPTION_REFUSE},
    {"-target", VALUE_EITHER, OPTION_REFUSE},
    {"--target", VALUE_EITHER, OPTION_REFUSE},
    {"-m32", VALUE_NONE, OPTION_REFUSE},
    {"-emit-", VALUE_JOINED, OPTION_REFUSE},
    {"-fsyntax-only", VALUE_NONE, OPTION_REFUSE},
    {"-###", VALUE_NONE, OPTION_REFUSE},
    {"-cc1", VALUE_JOINED, OPTION_REFUSE},
    {"-v", VALUE_NONE, OPTION_REFUSE},
    {"--version", VALUE_NONE, OPTION_REFUSE},
    {"--help", VALUE_NONE, OPTION_REFUSE},
};

/* The longest rule that matches, so that -include is not taken for -I or -MF for -M. */
static const struct option_rule *find_rule(const char *word)
{
    const struct option_rule *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < sizeof option_rules / sizeof *option_rules; i++) {
        const struct option_rule *rule = &option_rules[i];
        size_t len = strlen(rule->name);
        bool fits =
            strncmp(word, rule->name, len) == 0 && (rule->value != VALUE_NONE || word[len] == '\0');
        /* A one-letter option takes its value directly (-Idir); a long one needs '=' (or a separate
         * word), otherwise -code would match -codegen. */
        if (rule->value == VALUE_EITHER && len > 2 && word[len] != '\0' && word[len] != '=')
            fits = false;
        if (fits && len > best_len) {
            best = rule;
            best_len = len;
        }
    }
    return best;
}

static void apply_arch(const char *value, struct arg_list *args)
{
    /* nvcc accepts compute_35 as well as sm_35, and lists. "native" means the installed card, which
     * here is the default. */
    size_t len = strcspn(value, ",");
    const char *digits = memchr(value, '_', len);
    if (!digits)
        return;
    args_addf(args, "--cuda-gpu-arch=sm_%.*s", (int)(value + len - digits - 1), digits + 1);
}

static void apply_rule(const struct option_rule *rule, enum front_language language,
                       const char *word, const char *value, bool value_apart, struct arg_list *args)
{
    switch (rule->action) {
    case OPTION_PASS:
        args_add(args, word);
        if (value_apart)
            args_add(args, value);
        break;
    case OPTION_ARCH:
        if (language == FRONT_CUDA_C)
            apply_arch(value, args);
        break;
    case OPTION_FAST:
        args_add_all(args, "-ffast-math", "-fcuda-approx-transcendentals", NULL);
        break;
    case OPTION_PLAIN:
        args_add(args, "-O0");
        break;
    case OPTION_DROP:
    case OPTION_REFUSE:
        break;
    }
}

bool options_translate(enum front_language language, const struct arg_list *words,
                       struct arg_list *args, struct strbuf *error)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *word = words->items[i];
        if (word[0] != '-' || word[1] == '\0') {
            strbuf_addf(error, "build options: '%s' is not an option\n", word);
            return false;
        }
        const struct option_rule *rule = find_rule(word);
        if (!rule) {
            args_add(args, word);
            continue;
        }
        if (rule->action == OPTION_REFUSE) {
            strbuf_addf(error, "build options: '%s' cannot be used here\n", word);
            return false;
        }
        const char *value = word + strlen(rule->name);
        bool value_apart = rule->value == VALUE_EITHER && *value == '\0';
        if (value_apart && i + 1 == words->n) {
            strbuf_addf(error, "build options: '%s' lacks its value\n", word);
            return false;
        }
        if (value_apart)
            value = words->items[++i];
        else if (*value == '=')
            value++;
        apply_rule(rule, language, word, value, value_apart, args);
    }
    return true;
}
