/* Everything that the command line writes goes through here, so that nothing is lost silently and
 * no file is left half-written: a full disk gives a message and a status. If the reader of standard
 * output closes it early (`| head`), the program ends silently, as others do. */
#ifndef HEDDLE_CLI_OUTPUT_H
#define HEDDLE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Call it first: an interrupt then removes unfinished files. */
void output_init(void);

/* The last message when interrupted, a whole line; "" = none. */
void output_set_farewell(const char *line);

/* From now on the first Ctrl-C only asks the program to finish with what it has; the second ends
 * it. */
void output_stop_when_asked(void);
bool output_is_asked_to_stop(void);
/* After that: dies of the signal, as the shell expects; returns if there was no Ctrl-C. */
void output_end_if_asked(void);

/* Writes all of it to standard output, without buffering. */
enum heddle_status output_write(const char *text, size_t len);
/* The same for a buffer, which is emptied and freed. */
enum heddle_status output_take(struct strbuf *text);

/* Writes a whole file: it appears under its name only when it is complete. */
enum heddle_status output_file(const char *path, const void *data, size_t len);

/* The same piece by piece. A failure is reported once, when it happens; a run that continues only
 * for its file should then end (output_has_failed()). */
struct output_stream;
struct output_stream *output_open(const char *path); /* NULL after a failure */
/* Fits a struct sink of base/sink.h. */
bool output_add(void *stream, const void *data, size_t len);
enum heddle_status output_finish(struct output_stream *s); /* the file appears */
void output_abandon(struct output_stream *s);              /* no file appears; NULL is fine */
/* Reports that a file cannot be written, with the reason in errno. */
enum heddle_status output_write_failure(const char *path);
/* Did writing a file fail, for example because a disk is full? */
bool output_has_failed(void);

/* Prints "heddle: error: ..." messages to standard error; returns HEDDLE_BAD_INPUT. */
enum heddle_status output_complaints(const struct diag_list *diags);
/* The status after reading an input: prints errors if there are any and returns HEDDLE_BAD_INPUT,
 * unless `status` is more serious. */
enum heddle_status output_input_end(const struct diag_list *diags, enum heddle_status status);
/* "there is no KIND 'WORD'", with the nearest name if there is one, otherwise the hint. */
enum heddle_status output_unknown(const char *kind, const char *word, const char *const *names,
                                  uint32_t n, const char *hint);
enum heddle_status output_unknown_workload(const char *word);
/* The same where files are not possible. */
enum heddle_status output_unknown_workload_name(const char *word);
/* Prints a message of the library, which may have several lines and name a position in a file. */
void output_failure(const char *text);
/* Prints warnings of the library, complete lines; nothing for "" and for repetitions. Those that
 * begin with "warning:" get the prefix "heddle: ". */
void output_warnings(const char *text);
void output_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line for an interactive user: printed only if standard error is a terminal; it stays. */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Shows progress if standard error is a terminal; the next call replaces it. */
void output_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void output_progress_end(void);

#endif
