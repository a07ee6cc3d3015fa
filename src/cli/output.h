/* Everything the command line writes goes through here, so that nothing is lost in silence and no
 * file is ever left half-written: a full disk is a message and a status. A reader that has seen
 * enough of standard output and closed it (`| head`) ends the program, silently, as it ends others.
 */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Call first: being interrupted removes unfinished files. */
void output_init(void);

/* What to say last when being interrupted, a whole line; "" = nothing. */
void output_set_farewell(const char *line);

/* From now on the first Ctrl-C only asks the program to come to an end, with what it has; the
 * second ends it. */
void output_stop_when_asked(void);
bool output_is_asked_to_stop(void);
/* After that: dies of the signal, as the shell expects; returns if nobody has asked. */
void output_end_if_asked(void);

/* Writes to standard output, all of it, now. */
enum heddle_status output_write(const char *text, size_t len);
/* The same for a buffer, which is emptied and freed. */
enum heddle_status output_take(struct strbuf *text);

/* Writes a file as a whole: it appears under its name only once it is complete. */
enum heddle_status output_file(const char *path, const void *data, size_t len);

/* The same piece by piece. Failures are reported once, when they happen; a run that goes on for
 * its file alone should then end (output_has_failed()). */
struct output_stream;
struct output_stream *output_open(const char *path); /* NULL after a failure */
/* Fits a struct sink of base/sink.h. */
bool output_add(void *stream, const void *data, size_t len);
enum heddle_status output_finish(struct output_stream *s); /* the file appears */
void output_abandon(struct output_stream *s);              /* no file appears; NULL is fine */
/* Says that a file cannot be written, for the reason in errno. */
enum heddle_status output_write_failure(const char *path);
/* Could a file not be written, as on a disk that is full? */
bool output_has_failed(void);

/* Prints "heddle: error: ..." messages to standard error; returns HEDDLE_BAD_INPUT. */
enum heddle_status output_complaints(const struct diag_list *diags);
/* The status of an input that was read: if there were complaints they are printed, and it is a bad
 * input unless `status` says something worse. */
enum heddle_status output_input_end(const struct diag_list *diags, enum heddle_status status);
/* "there is no KIND 'WORD'", with the name that was perhaps meant, else the hint. */
enum heddle_status output_unknown(const char *kind, const char *word, const char *const *names,
                                  uint32_t n, const char *hint);
enum heddle_status output_unknown_workload(const char *word);
/* Passes on a message of the library, which may be of several lines and name a place in a file. */
void output_failure(const char *text);
/* Warnings of the library, lines ready to print; "" prints nothing, nor does the same again. */
void output_warnings(const char *text);
void output_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line for who watches: printed while standard error is a terminal, and stays. */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Shows what is going on while standard error is a terminal; the next call replaces it. */
void output_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void output_progress_end(void);

#endif
