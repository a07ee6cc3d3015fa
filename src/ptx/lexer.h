/* PTX text to tokens, one at a time. Knows the forms of names, numbers and punctuation, not their
 * meaning. Accepts any bytes: what is not a token becomes TOKEN_BAD. */
#ifndef HEDDLE_PTX_LEXER_H
#define HEDDLE_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   /* add, %r1, $L__BB0_1, _ */
    TOKEN_WORD,   /* .s32, .L2::128B; the text excludes the dot */
    TOKEN_INT,    /* any integer form; value in bits */
    TOKEN_FLOAT,  /* any float form; a double's bit pattern in bits */
    TOKEN_STRING, /* "..."; the text excludes the quotes, escapes as written */
    TOKEN_PUNCT,  /* a character, or one of enum punct */
    TOKEN_BAD,    /* not PTX; the text says what is wrong */
};

enum punct {
    PUNCT_SHL = 256,
    PUNCT_SHR,
    PUNCT_AND,
    PUNCT_OR,
    PUNCT_EQ,
    PUNCT_NE,
    PUNCT_LE,
    PUNCT_GE
};

struct token {
    enum token_kind kind;
    int punct;
    const char *text; /* into the source (TOKEN_BAD: a message) */
    size_t len;
    uint64_t bits;
    bool is_unsigned; /* INT: has the suffix U, or does not fit a signed 64-bit integer */
    bool is_f32;      /* FLOAT: written 0fXXXXXXXX */
    bool is_glued;    /* no space between this token and the previous one */
    uint32_t line, col;
};

struct lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
};

/* `text` must have a NUL at text[len] and must live as long as its tokens. */
void lexer_init(struct lexer *lex, const char *text, size_t len);
void lexer_next(struct lexer *lex, struct token *token);

/* The first character of the next token; 0 at the end. Consumes only blanks and comments. */
char lexer_peek(struct lexer *lex);

/* A single-precision bit pattern as the double of the same value; NaN payloads are kept. */
uint64_t lexer_widen_f32(uint32_t bits);
/* And back, rounded to nearest. */
uint32_t lexer_narrow_f32(uint64_t bits);

#endif
