/* Traces of other simulators that are files of records of one size, little-endian:
 *
 * ChampSim (its inc/trace_instruction.h, `input_instr`), 64 bytes an instruction:
 *     u64 ip; u8 is_branch, branch_taken; u8 destination_registers[2], source_registers[4];
 *     u64 destination_memory[2], source_memory[4]
 * An address that is not 0 is an access: of the sources a load, of the destinations a store, the
 * loads of an instruction first. Each is one instruction of one thread. The cycle is the number of
 * the instruction, the PC the low 32 bits of ip.
 *
 * libCacheSim's oracleGeneral, 24 bytes a request, packed:
 *     u32 time; u64 object; u32 size; i64 next access, as a number of requests; -1 = none
 * A request is a load of a line that is numbered like its object, whatever its size.
 *
 * Programs of Heddle's own recordings are such instructions too (cpu/trace.h).
 *
 * Left out on purpose: registers and branches, sizes of objects, and what other tools compress
 * these files with: they can be piped in through /dev/stdin. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_format.h"
#include "analysis/lab_stream.h"
#include "cpu/programs.h"

enum { CHAMPSIM_BYTES = 64, CHAMPSIM_LINE_BYTES = 64, ORACLE_GENERAL_BYTES = 24 };
enum { RECORDS_AT_A_TIME = 4096, MAX_RECORD_BYTES = CHAMPSIM_BYTES };

/* Adds the content of a record. Returns NULL, or the reason why it is not valid. */
typedef const char *(*take_record)(struct lab_stream *s, const uint8_t *record, uint64_t number);

static const char *take_instruction(struct lab_stream *s, const uint8_t *record, uint64_t number)
{
    enum { IS_BRANCH = 8, DESTINATIONS = 16, SOURCES = 32, N_DESTINATIONS = 2, N_SOURCES = 4 };
    if (record[IS_BRANCH] > 1 || record[IS_BRANCH + 1] > 1)
        return "this is not a ChampSim instruction, whose bytes 8 and 9 are 0 or 1; is the file "
               "compressed? `xz -dc FILE | heddle cache ... /dev/stdin` unpacks it";
    struct lab_access a = {.cycle = number, .pc = l1d_get_u32(record), .kind = LAB_LOAD};
    lab_stream_add_insts(s, 0, 1, 1);
    for (int i = 0; i < N_SOURCES; i++)
        if ((a.address = l1d_get_u64(record + SOURCES + 8 * i)))
            lab_stream_add(s, &a);
    a.kind = LAB_STORE;
    for (int i = 0; i < N_DESTINATIONS; i++)
        if ((a.address = l1d_get_u64(record + DESTINATIONS + 8 * i)))
            lab_stream_add(s, &a);
    return NULL;
}

static const char *take_request(struct lab_stream *s, const uint8_t *record, uint64_t number)
{
    enum { OBJECT = 4, NEXT = 16 };
    uint64_t object = l1d_get_u64(record + OBJECT), next = l1d_get_u64(record + NEXT);
    if (next <= number)
        return "this is not an oracleGeneral request: its next access (bytes 16 to 23) is not a "
               "later request";
    if (object == UINT64_MAX)
        return "object 18446744073709551615 is not supported: there is no line for it";
    lab_stream_add(
        s, &(struct lab_access){.cycle = l1d_get_u32(record), .address = object, .kind = LAB_LOAD});
    return NULL;
}

static bool take_records(struct lab_stream *s, FILE *file, size_t record_bytes, take_record take,
                         struct strbuf *why)
{
    uint8_t *bytes = xcalloc(RECORDS_AT_A_TIME, MAX_RECORD_BYTES);
    const char *wrong = NULL;
    uint64_t number = 0;
    size_t n, left = 0;
    do {
        n = fread(bytes, 1, RECORDS_AT_A_TIME * record_bytes, file);
        for (size_t at = 0; at + record_bytes <= n && !wrong; at += record_bytes)
            wrong = take(s, bytes + at, number++);
        left = n % record_bytes;
    } while (n == RECORDS_AT_A_TIME * record_bytes && !wrong);
    int error = errno;
    if (wrong)
        strbuf_addf(why, "byte %" PRIu64 ": %s", (number - 1) * record_bytes, wrong);
    else if (ferror(file))
        strbuf_addf(why, "byte %" PRIu64 ": %s", number * record_bytes, strerror(error));
    else if (left)
        strbuf_addf(why, "byte %" PRIu64 ": the file ends in the middle of a record of %zu bytes",
                    number * record_bytes, record_bytes);
    free(bytes);
    return !wrong && !left && !ferror(file);
}

static bool read_file(struct lab_stream *s, const char *path, size_t record_bytes, take_record take,
                      struct strbuf *why)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        strbuf_addf(why, "cannot read it: %s", strerror(errno));
        return false;
    }
    bool ok = take_records(s, file, record_bytes, take, why);
    fclose(file);
    return ok;
}

bool lab_stream_read_champsim(struct lab_stream *s, const char *path, struct strbuf *why)
{
    s->line_bytes = CHAMPSIM_LINE_BYTES;
    s->has_insts = true;
    return read_file(s, path, CHAMPSIM_BYTES, take_instruction, why);
}

bool lab_stream_read_cpu(struct lab_stream *s, const char *program, struct strbuf *why)
{
    enum heddle_status status = HEDDLE_OK;
    if (cpu_is_bubble(program)) {
        strbuf_add(why, "it is generated for a machine and has no trace");
        return false;
    }
    struct cpu_source *source = cpu_program_open(program, &(struct cpu_open){0}, &status, why);
    if (!source)
        return false;
    const char *wrong = NULL;
    const struct cpu_inst *inst;
    s->line_bytes = CHAMPSIM_LINE_BYTES;
    s->has_insts = true;
    for (uint64_t number = 0; !wrong && (inst = cpu_source_next(source)); number++)
        wrong = take_instruction(s, (const uint8_t *)inst, number);
    wrong = wrong ? wrong : source->error;
    if (wrong)
        strbuf_add(why, wrong);
    cpu_source_close(source);
    return !wrong;
}

bool lab_stream_read_oracle_general(struct lab_stream *s, const char *path, struct strbuf *why)
{
    s->line_bytes = 1;
    s->has_objects = true;
    return read_file(s, path, ORACLE_GENERAL_BYTES, take_request, why);
}
