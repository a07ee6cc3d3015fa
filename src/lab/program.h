/* User programs as points of an experiment: a shell command that runs an OpenCL program, with the
 * simulated GPU as its device (`heddle exec`).
 *
 * The program's standard output is hashed. A policy must not change a result, so two points of one
 * program with different output are reported. */
#ifndef HEDDLE_LAB_PROGRAM_H
#define HEDDLE_LAB_PROGRAM_H

#include "base/hash.h"
#include "lab/file_marks.h"
#include "lab/store.h"
#include "workloads/workload.h"

struct point;
struct point_words;
struct worker_end;

struct lab_program {
    const char *command;
    /* A pseudo-workload for code that distinguishes points by workload and size: the program's
     * name, and the rest of the command. It cannot be run. */
    struct workload workload;
    struct workload_size size;
    /* Of the command and of every file named in it: the program, its inputs. */
    char digest[HASH_TEXT_BYTES];
};

/* False, with the reason in `why`, if the command names no program or a file that cannot be read.
 * `marks` gets the program, not the other files: it may write to those. */
bool program_read(struct lab_program *p, const char *command, struct arena *arena,
                  struct file_marks *marks, struct strbuf *why);

/* In-memory files that a run writes while it runs. A zeroed struct is closed. */
struct program_files {
    bool is_open;
    int result, launches;
};
bool program_files_open(struct program_files *f); /* false with errno set */
void program_files_close(struct program_files *f);

/* Options of `heddle exec` that make it write the files. */
void program_add_options(const struct program_files *f, struct point_words *words);
/* The words after the options. */
void program_add_command(const struct lab_program *p, struct point_words *words);

/* A document of `heddle run --json` with the experiment's names for what ran; `output_hash` may be
 * NULL. */
void program_name_document(const struct point *p, const char *output_hash, const char *text,
                           struct strbuf *document);

/* The document of a finished run, as `heddle run --json` writes it, with the hash of the output.
 * Empty, with a message, if there is none or a launch failed. */
void program_document(const struct program_files *f, const struct point *p,
                      const struct worker_end *e, struct strbuf *document, struct strbuf *message);

/* Stores a result for each launch: the kernel as workload, the command as size, the number of the
 * launch as seed. */
enum heddle_status program_keep_launches(const struct program_files *f, const struct point *p,
                                         struct store *s);

/* Calls `told` for every point whose output differs from that of the first stored point of the same
 * program. */
typedef void (*program_difference)(void *user, const struct point *p, const char *message);
enum heddle_status program_compare_outputs(struct store *s, const struct point *points, uint32_t n,
                                           program_difference told, void *user);

#endif
