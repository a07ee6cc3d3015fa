#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/markdown.h"

enum { WIDTH = 100, LONGEST_CODE = 60 /* that is kept on one line */ };

struct wrapping {
    struct strbuf out;
    size_t at;     /* columns of the current line that are used */
    size_t indent; /* of the lines after the first of a list item */
    bool in_code;  /* between two lines of ``` */
};

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* A word that would begin a list item, a heading or a quotation at the start of a line. */
static bool must_not_begin_line(const char *word, size_t n)
{
    if (n == 1 && strchr("-+*", *word))
        return true;
    if (strchr("#>|=", *word))
        return true;
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)word[digits]))
        digits++;
    return digits && digits + 1 == n && strchr(".)", word[digits]);
}

/* A word, or words between backticks. */
static size_t length_of_word(const char *word)
{
    size_t n = 0;
    while (!strchr(" \n", word[n])) {
        size_t code = word[n] == '`' ? strcspn(word + n + 1, "`\n") : 0;
        n += code && code <= LONGEST_CODE && word[n + 1 + code] == '`' ? code + 2 : 1;
    }
    return n;
}

/* Of a word and those behind it from which it may not be parted. */
static size_t length_of_group(const char *word)
{
    size_t n = length_of_word(word);
    while (word[n] == ' ' && must_not_begin_line(word + n + 1, length_of_word(word + n + 1)))
        n += 1 + length_of_word(word + n + 1);
    return n;
}

static void end_line(struct wrapping *w)
{
    if (w->at)
        strbuf_add_char(&w->out, '\n');
    w->at = 0;
}

static void add_word(struct wrapping *w, const char *word, size_t n)
{
    if (w->at && w->at + 1 + n > WIDTH)
        end_line(w);
    if (w->at) {
        strbuf_add_char(&w->out, ' ');
        w->at++;
    } else {
        strbuf_addf(&w->out, "%*s", (int)w->indent, "");
        w->at = w->indent;
    }
    strbuf_add_n(&w->out, word, n);
    w->at += n;
}

/* A line of prose joins the paragraph or the list item before it. */
static void add_prose(struct wrapping *w, const char *line)
{
    if (starts(line, "- ")) {
        end_line(w);
        strbuf_add_char(&w->out, '-');
        w->at = 1;
        w->indent = 2;
        line += 2;
    }
    for (line += strspn(line, " "); *line && *line != '\n'; line += strspn(line, " ")) {
        size_t n = length_of_group(line);
        add_word(w, line, n);
        line += n;
    }
}

static bool is_prose(const char *line, bool in_code)
{
    return !in_code && !starts(line, "```") && !strchr("|#<\n", *line) && !starts(line, "    ");
}

static void add_line(struct wrapping *w, const char *line, size_t n)
{
    if (is_prose(line, w->in_code)) {
        add_prose(w, line);
        return;
    }
    end_line(w);
    w->indent = 0;
    w->in_code ^= starts(line, "```");
    strbuf_add_n(&w->out, line, n);
    strbuf_add_char(&w->out, '\n');
}

void markdown_wrap(struct strbuf *page)
{
    struct wrapping w = {0};
    for (const char *line = strbuf_text(page); *line;) {
        size_t n = strcspn(line, "\n");
        add_line(&w, line, n);
        line += n + (line[n] == '\n');
    }
    end_line(&w);
    strbuf_destroy(page);
    *page = w.out;
}
