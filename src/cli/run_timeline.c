#include "cli/run_timeline.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* A number in digits alone at *text, which moves behind it. */
static bool read_number(const char **text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* "100-200", "100-" and "-200". */
static bool parse_cycles(const char *text, struct timeline_window *out, struct strbuf *why)
{
    const char *at = text;
    bool ok = *at == '-' || read_number(&at, &out->from_cycle);
    ok = ok && *at++ == '-';
    if (ok && *at)
        ok = read_number(&at, &out->to_cycle) && !*at && out->to_cycle > out->from_cycle;
    if (!ok || text[1] == '\0')
        strbuf_addf(why,
                    "--timeline-cycles %s: expected FIRST-END, as in 1000-2000; either may be "
                    "left out",
                    text);
    return why->len == 0;
}

static bool parse_sms(const char *text, uint32_t n_sms, struct arena *arena,
                      struct timeline_window *out, struct strbuf *why)
{
    uint32_t *sms = ARENA_ARRAY(arena, uint32_t, n_sms);
    const char *at = text;
    do {
        uint64_t sm;
        if (!read_number(&at, &sm) || (*at && *at != ',')) {
            strbuf_addf(why, "--timeline-sms %s: expected numbers of SMs, as in 0,1", text);
        } else if (sm >= n_sms || out->n_sms == n_sms) {
            strbuf_addf(why, "--timeline-sms %s: the SMs of this GPU are 0 to %u, each once", text,
                        n_sms - 1);
        } else {
            sms[out->n_sms++] = (uint32_t)sm;
        }
    } while (!why->len && *at++);
    out->sms = sms;
    return why->len == 0;
}

bool timeline_window_parse(const char *cycles, const char *sms, uint32_t n_sms, struct arena *arena,
                           struct timeline_window *out, struct strbuf *why)
{
    *out = (struct timeline_window){0};
    return (!cycles || parse_cycles(cycles, out, why)) &&
           (!sms || parse_sms(sms, n_sms, arena, out, why));
}
