/* Fuzzes what reads a user's words: options, kernel arguments, shapes, sizes, settings and GPU
 * files. The input is one word a line; its first byte chooses how the words are read. Nothing here
 * touches a file, so any crash, leak or hang is the parser's. */
#include <stdint.h>
#include <string.h>

#include "cli/command.h"
#include "cli/kernel_arg.h"
#include "config/gpu.h"
#include "config/number.h"

enum { MAX_WORDS = 64 };

static void fuzz_word(const char *word, struct arena *arena)
{
    struct strbuf why = {0};
    struct kernel_arg arg = {0};
    struct dim3 shape;
    uint64_t number;
    bool ok = kernel_arg_parse(word, arena, &arg, &why);
    /* What is refused says why; what is accepted holds together. */
    if (ok != (why.len == 0) || (ok && arg.kind == KERNEL_ARG_VALUE && !arg.data) ||
        (ok && arg.kind == KERNEL_ARG_LOCAL && !arg.bytes))
        __builtin_trap();
    if (dim3_parse(word, 1, &shape) && (!shape.v[0] || !shape.v[1] || !shape.v[2]))
        __builtin_trap();
    if (number_parse_u64(word, &number) && !number_parse_bytes(word, &number))
        __builtin_trap();
    strbuf_destroy(&why);
}

static void fuzz_command_line(const struct command *c, uint32_t n, const char *const *words,
                              struct arena *arena)
{
    struct diag_list diags = {0};
    struct text_list operands = {0};
    struct strbuf text = {0};
    void *values = arena_alloc(arena, c->options_bytes + 1);
    bool ok = options_parse(c->options, c->n_options, n, words, values, &operands, arena, &diags);
    if (ok != (diags.n_errors == 0))
        __builtin_trap();
    diag_format(&diags, &text);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
}

static void fuzz_settings(const char *yaml, size_t len, uint32_t n, const char *const *words)
{
    struct diag_list diags = {0};
    struct param_set set = {0};
    struct gpu_config gpu = {0};
    struct strbuf text = {0};
    settings_read_yaml(&set.settings, "fuzz.yaml", yaml, len, &diags);
    for (uint32_t i = 0; i < n; i++)
        settings_add_word(&set.settings, words[i], &diags);
    param_set_bind(&set, "", gpu_params, n_gpu_params, &gpu, &diags);
    param_set_finish(&set, &diags);
    diag_format(&diags, &text);
    param_set_print(&set, &text);
    if (gpu.n_sms < 1 || gpu.n_sms > 1024)
        __builtin_trap();
    strbuf_destroy(&text);
    param_set_destroy(&set);
    diag_list_destroy(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct arena arena = {0};
    const char *words[MAX_WORDS];
    uint32_t n = 0;
    char *text = arena_strndup(&arena, (const char *)data + 1, size - 1), *rest = text;
    for (char *word; n < MAX_WORDS && (word = strsep(&rest, "\n"));)
        words[n++] = word;
    for (uint32_t i = 0; i < n; i++)
        fuzz_word(words[i], &arena);
    /* '7' and other odd ones: settings; '0', '2', ...: the commands in their order. */
    if (data[0] % 2 == 0)
        fuzz_command_line(commands[(uint8_t)(data[0] - '0') / 2 % n_commands], n, words, &arena);
    else
        fuzz_settings((const char *)data + 1, size - 1, n, words);
    arena_destroy(&arena);
    return 0;
}
