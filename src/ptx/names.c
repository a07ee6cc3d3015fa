#include "ptx/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const directive_texts[N_DIRECTIVES] = {
#define DIRECTIVE(id, text) [DIRECTIVE_##id] = text,
    PTX_DIRECTIVES(DIRECTIVE)
#undef DIRECTIVE
};

static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static uint32_t find_slot(const struct names *names, const char *text, size_t len, uint32_t hash)
{
    uint32_t mask = names->n_slots - 1, i = hash & mask;
    for (; names->slots[i]; i = (i + 1) & mask) {
        const struct name *n = names->slots[i];
        if (n->hash == hash && n->len == len && !memcmp(n->text, text, len))
            break;
    }
    return i;
}

static void grow(struct names *names)
{
    struct name **old = names->slots;
    uint32_t n_old = names->n_slots;
    names->n_slots *= 2;
    names->slots = xcalloc(names->n_slots, sizeof *names->slots);
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i])
            names->slots[find_slot(names, old[i]->text, old[i]->len, old[i]->hash)] = old[i];
    free(old);
}

struct name *names_find(const struct names *names, const char *text, size_t len)
{
    return names->slots[find_slot(names, text, len, hash_text(text, len))];
}

struct name *names_intern(struct names *names, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len), i = find_slot(names, text, len, hash);
    if (names->slots[i])
        return names->slots[i];
    struct name *n = ARENA_NEW(names->arena, struct name);
    n->text = arena_strndup(names->arena, text, len);
    n->len = (uint32_t)len;
    n->hash = hash;
    n->opcode = NO_OPCODE;
    n->sreg = NO_SREG;
    names->slots[i] = n;
    if (++names->n * 2 > names->n_slots)
        grow(names);
    return n;
}

static struct name *intern_text(struct names *names, const char *text)
{
    return names_intern(names, text, strlen(text));
}

void names_init(struct names *names, struct arena *arena)
{
    *names = (struct names){.arena = arena, .n_slots = 2048};
    names->slots = xcalloc(names->n_slots, sizeof *names->slots);
    for (uint16_t i = 0; i < PTX_N_OPCODES; i++)
        intern_text(names, ptx_insts[i].text)->opcode = i;
    for (uint8_t i = 1; i < PTX_N_TYPES; i++)
        intern_text(names, ptx_types[i].text)->type = i;
    for (uint8_t i = 1; i < N_DIRECTIVES; i++)
        intern_text(names, directive_texts[i])->directive = i;
    for (uint16_t i = 0; i < PTX_N_SREGS; i++)
        intern_text(names, ptx_sreg_name(i))->sreg = i;
    for (uint32_t i = 1; i < PTX_N_MODS; i++) {
        struct name *n = intern_text(names, ptx_mods[i].text);
        assert(n->n_mods < MAX_WORD_MODS);
        n->mods[n->n_mods++] = (uint8_t)i;
    }
}

void names_destroy(struct names *names)
{
    free(names->slots);
    names->slots = NULL;
}
