#include "ptx/lexer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIMAL_FLOAT = 127 };

void lexer_init(struct lexer *lex, const char *text, size_t len)
{
    *lex = (struct lexer){.at = text, .end = text + len, .line_start = text, .line = 1};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool continues_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static void next_line(struct lexer *lex)
{
    lex->line++;
    lex->line_start = lex->at;
}

/* An unterminated block comment extends to the end of the text. */
static void skip_comment(struct lexer *lex)
{
    bool is_block = lex->at[1] == '*';
    lex->at += 2;
    while (lex->at < lex->end) {
        char c = *lex->at++;
        if (c == '\n') {
            if (!is_block) {
                lex->at--;
                return;
            }
            next_line(lex);
        } else if (is_block && c == '*' && *lex->at == '/') {
            lex->at++;
            return;
        }
    }
}

static void skip_blanks(struct lexer *lex)
{
    for (;;) {
        char c = *lex->at;
        if (c == '\n') {
            lex->at++;
            next_line(lex);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lex->at++;
        } else if (c == '/' && (lex->at[1] == '/' || lex->at[1] == '*')) {
            skip_comment(lex);
        } else {
            return;
        }
    }
}

char lexer_peek(struct lexer *lex)
{
    skip_blanks(lex);
    return lex->at < lex->end ? *lex->at : 0;
}

static void bad_token(struct token *t, const char *message)
{
    t->kind = TOKEN_BAD;
    t->text = message;
    t->len = strlen(message);
}

uint64_t lexer_widen_f32(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    uint32_t exponent = bits >> 23 & 0xff;
    uint64_t fraction = bits & 0x7fffff;
    if (exponent == 0xff)
        return sign | 0x7ffull << 52 | fraction << 29;
    if (exponent)
        return sign | (uint64_t)(exponent + 1023 - 127) << 52 | fraction << 29;
    if (!fraction)
        return sign;
    int shift = __builtin_clzll(fraction) - 40; /* moves the leading one to bit 23 */
    return sign | (uint64_t)(1023 - 126 - shift) << 52 | (fraction << shift & 0x7fffff) << 29;
}

uint32_t lexer_narrow_f32(uint64_t bits)
{
    if ((bits >> 52 & 0x7ff) == 0x7ff) /* the host might quiet a NaN */
        return (uint32_t)(bits >> 63 << 31 | 0xffu << 23 | (bits & 0xfffffffffffffull) >> 29);
    double d;
    memcpy(&d, &bits, sizeof d);
    float f = (float)d;
    uint32_t narrow;
    memcpy(&narrow, &f, sizeof f);
    return narrow;
}

/* 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX: the bit pattern itself. */
static bool lex_float_bits(struct lexer *lex, struct token *t)
{
    char letter = lex->at[1];
    bool is_f32 = letter == 'f' || letter == 'F';
    if (lex->at[0] != '0' || (!is_f32 && letter != 'd' && letter != 'D'))
        return false;
    uint64_t bits = 0;
    int n_digits = is_f32 ? 8 : 16, i = 0;
    for (; i < n_digits && digit_value(lex->at[2 + i]) < 16; i++)
        bits = bits << 4 | (uint64_t)digit_value(lex->at[2 + i]);
    if (i != n_digits)
        return false;
    lex->at += 2 + n_digits;
    t->kind = TOKEN_FLOAT;
    t->is_f32 = is_f32;
    t->bits = is_f32 ? lexer_widen_f32((uint32_t)bits) : bits;
    return true;
}

/* 1.5, 1e-3, 2.e4. The decimal point does not depend on the host program's locale. */
static bool lex_decimal_float(struct lexer *lex, struct token *t)
{
    const char *c = lex->at;
    while (is_digit(*c))
        c++;
    if (*c != '.' && *c != 'e' && *c != 'E')
        return false;
    if (*c == '.')
        for (c++; is_digit(*c);)
            c++;
    if (*c == 'e' || *c == 'E') {
        const char *digits = c[1] == '+' || c[1] == '-' ? c + 2 : c + 1;
        if (!is_digit(*digits))
            return false;
        for (c = digits; is_digit(*c);)
            c++;
    }
    size_t len = (size_t)(c - lex->at);
    char copy[MAX_DECIMAL_FLOAT + 1] = "";
    memcpy(copy, lex->at, len < MAX_DECIMAL_FLOAT ? len : MAX_DECIMAL_FLOAT);
    lex->at = c;
    if (len > MAX_DECIMAL_FLOAT) {
        bad_token(t, "this floating-point number has too many digits");
        return true;
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
    double value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    t->kind = TOKEN_FLOAT;
    memcpy(&t->bits, &value, sizeof value);
    return true;
}

static void lex_integer(struct lexer *lex, struct token *t)
{
    uint64_t base = 10, value = 0;
    if (lex->at[0] == '0' && (lex->at[1] == 'x' || lex->at[1] == 'X'))
        base = 16;
    else if (lex->at[0] == '0' && (lex->at[1] == 'b' || lex->at[1] == 'B'))
        base = 2;
    else if (lex->at[0] == '0')
        base = 8;
    lex->at += base == 16 || base == 2 ? 2 : 0;
    const char *first = lex->at;
    bool overflow = false;
    for (; digit_value(*lex->at) < (int)base; lex->at++) {
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit_value(*lex->at), &value);
    }
    bool has_digits = lex->at > first;
    t->kind = TOKEN_INT;
    t->bits = value;
    t->is_unsigned = value > INT64_MAX;
    if (*lex->at == 'U') {
        lex->at++;
        t->is_unsigned = true;
    }
    if (continues_name(*lex->at) || !has_digits) {
        while (continues_name(*lex->at))
            lex->at++;
        bad_token(t, "malformed number");
    } else if (overflow) {
        bad_token(t, "this integer does not fit 64 bits");
    }
}

static void lex_word(struct lexer *lex, struct token *t)
{
    const char *first = ++lex->at;
    while (continues_name(*lex->at) ||
           (lex->at[0] == ':' && lex->at[1] == ':' && continues_name(lex->at[2])))
        lex->at += *lex->at == ':' ? 2 : 1;
    t->kind = TOKEN_WORD;
    t->text = first;
    t->len = (size_t)(lex->at - first);
    if (!t->len)
        bad_token(t, "a '.' with no word after it");
}

static void lex_string(struct lexer *lex, struct token *t)
{
    const char *first = ++lex->at;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n') {
        bool escapes = *lex->at == '\\' && lex->at + 1 < lex->end && lex->at[1] != '\n';
        lex->at += escapes ? 2 : 1;
    }
    t->kind = TOKEN_STRING;
    t->text = first;
    t->len = (size_t)(lex->at - first);
    if (*lex->at == '"' && lex->at < lex->end)
        lex->at++;
    else
        bad_token(t, "this string has no end");
}

static void lex_punct(struct lexer *lex, struct token *t)
{
    static const struct {
        char text[3];
        enum punct punct;
    } pairs[] = {{"<<", PUNCT_SHL}, {">>", PUNCT_SHR}, {"&&", PUNCT_AND}, {"||", PUNCT_OR},
                 {"==", PUNCT_EQ},  {"!=", PUNCT_NE},  {"<=", PUNCT_LE},  {">=", PUNCT_GE}};
    t->kind = TOKEN_PUNCT;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (lex->at[0] == pairs[i].text[0] && lex->at[1] == pairs[i].text[1]) {
            t->punct = (int)pairs[i].punct;
            t->len = 2;
            lex->at += 2;
            return;
        }
    }
    t->punct = *lex->at;
    t->len = 1;
    if (*lex->at && strchr("{}()[]<>,;:=@!|&^~+-*/%?", *lex->at)) {
        lex->at++;
        return;
    }
    /* One message for a run of garbage. */
    while (lex->at < lex->end && !strchr(" \t\r\n;{}", *lex->at) && !continues_name(*lex->at))
        lex->at++;
    while (lex->at < lex->end && !*lex->at)
        lex->at++;
    bad_token(t, "unexpected character");
}

void lexer_next(struct lexer *lex, struct token *t)
{
    const char *before = lex->at;
    skip_blanks(lex);
    const char *c = lex->at;
    *t = (struct token){
        .kind = TOKEN_END,
        .text = c,
        .is_glued = c == before,
        .line = lex->line,
        .col = (uint32_t)(c - lex->line_start) + 1,
    };
    if (c >= lex->end)
        return;
    if (is_letter(*c) || *c == '_' || *c == '$' ||
        (*c == '%' && (is_letter(c[1]) || c[1] == '_'))) {
        for (lex->at++; continues_name(*lex->at);)
            lex->at++;
        t->kind = TOKEN_NAME;
        t->len = (size_t)(lex->at - c);
    } else if (is_digit(*c)) {
        if (!lex_float_bits(lex, t) && !lex_decimal_float(lex, t))
            lex_integer(lex, t);
    } else if (*c == '.') {
        lex_word(lex, t);
    } else if (*c == '"') {
        lex_string(lex, t);
    } else {
        lex_punct(lex, t);
    }
}
