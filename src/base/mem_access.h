/* One memory access as policies see it: everything known about it, never changed by them. */
#ifndef HEDDLE_BASE_MEM_ACCESS_H
#define HEDDLE_BASE_MEM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_PREFETCH, MEM_INSTRUCTION };
enum mem_space { MEM_GLOBAL, MEM_LOCAL, MEM_CONST, MEM_CODE };
/* What the program wrote on the instruction. */
enum mem_operator {
    MEM_OP_NONE,
    MEM_OP_CA,
    MEM_OP_CG,
    MEM_OP_CS,
    MEM_OP_LU,
    MEM_OP_CV,
    MEM_OP_WB,
    MEM_OP_WT,
    MEM_OP_CC,
    MEM_OP_CP
};
enum mem_role { MEM_ROLE_NONE, MEM_ROLE_SAMPLE_LRU, MEM_ROLE_SAMPLE_MRU };

/* What the lanes of one instruction ask of one line. */
struct line_access {
    uint64_t line; /* first byte */
    uint32_t lanes;
    uint32_t segments; /* of 32 bytes, touched */
};
/* Details that not every user of a cache needs. */
struct line_detail {
    uint64_t address;  /* of the first lane */
    uint64_t bytes[2]; /* bytes touched, low first */
};

struct mem_access {
    /* What differs between the accesses of one instruction. */
    uint64_t line;         /* line-aligned byte address */
    uint64_t address;      /* first byte asked for */
    uint32_t active_mask;  /* lanes that this access serves */
    uint32_t segments;     /* 32-byte pieces of the line that are asked for: what travels */
    uint64_t byte_mask[2]; /* bytes of the line, low first; lines up to 128 bytes */
    /* What every cache looks at. */
    uint32_t set;
    uint32_t sector_mask; /* sectors of the line that are asked for, as large as the cache's are */
    uint64_t cycle;       /* of the clock of the cache that sees it */
    uint32_t warp_slot;   /* in the SM */
    uint32_t pc;          /* number of the static instruction in the module */

    uint64_t id; /* unique in the run; a retry keeps it */
    uint32_t launch;
    uint32_t load_index; /* number of the static load in the kernel */
    uint64_t cta;
    uint64_t warp_uid; /* unique in the SM over the run */
    uint64_t warp_age; /* order of assignment to the SM; smaller is older */
    uint32_t scheduler;
    uint32_t first_lane;
    uint64_t first_thread; /* global number of the first lane's thread */
    enum mem_kind kind;
    enum mem_space space;
    enum mem_operator op;
    bool full_line;   /* every byte of the line is asked for */
    bool for_atomic;  /* data, or changes, of an atomic that an SM performs */
    bool is_critical; /* from the criticality provider, as is this: */
    int64_t criticality;
    /* Who: an SM or a CPU core. */
    uint32_t source;
    uint32_t device; /* 0 = GPU, 1 = CPU */
    enum mem_role role;
    uint32_t app; /* in a cache that applications share: whose access it is */
};

/* A dirty line that leaves a CPU core's own caches, which is all that they store: the program does
 * not ask for it. */
static inline bool mem_is_write_back(const struct mem_access *a)
{
    return a->device == 1 && a->kind == MEM_STORE;
}

#endif
