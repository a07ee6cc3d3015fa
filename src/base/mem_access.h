/* One memory access as policies see it: all that is known about it. Policies never change it. */
#ifndef HEDDLE_BASE_MEM_ACCESS_H
#define HEDDLE_BASE_MEM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_PREFETCH, MEM_INSTRUCTION };
enum mem_space { MEM_GLOBAL, MEM_LOCAL, MEM_CONST, MEM_CODE };
/* The cache operator of the instruction in the program. */
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

/* What the lanes of one instruction request from one line. */
struct line_access {
    uint64_t line; /* first byte */
    uint32_t lanes;
    uint32_t segments; /* 32-byte pieces touched */
};
/* Details that not every user of a cache needs. */
struct line_detail {
    uint64_t address;  /* that of the first lane */
    uint64_t bytes[2]; /* bytes touched, low first */
};

struct mem_access {
    /* Differs between the accesses of one instruction. */
    uint64_t line;         /* line-aligned byte address */
    uint64_t address;      /* first byte requested */
    uint32_t active_mask;  /* lanes that this access serves */
    uint32_t segments;     /* 32-byte pieces of the line requested; these are transferred */
    uint64_t byte_mask[2]; /* requested bytes of the line, low first; lines up to 128 bytes. Of a
                            * longer line, all or none */
    /* Read by every cache. */
    uint32_t set;
    uint32_t sector_mask; /* requested sectors of the line, in the sector size of the cache */
    uint64_t cycle;       /* in the clock of the cache that is accessed */
    uint32_t warp_slot;   /* warp slot of the SM */
    uint32_t pc;          /* static instruction's number in the module */

    uint64_t id; /* unique in the run; a retry keeps its id */
    uint32_t launch;
    uint32_t load_index; /* static load's number in the kernel */
    uint64_t cta;
    uint64_t warp_uid; /* unique in the SM during the run */
    uint64_t warp_age; /* order of assignment to the SM; smaller is older */
    uint32_t scheduler;
    uint32_t first_lane;
    uint64_t first_thread; /* global number of the first lane's thread */
    enum mem_kind kind;
    enum mem_space space;
    enum mem_operator op;
    bool for_atomic;  /* data or updates of an atomic that an SM performs */
    bool is_critical; /* this and the next field come from the criticality provider */
    int64_t criticality;
    /* The requester: an SM or a CPU core. */
    uint32_t source;
    uint32_t device; /* 0 = GPU, 1 = CPU */
    enum mem_role role;
    uint32_t app; /* in a cache shared by applications: the application that accesses it */
};

/* Is it a dirty line evicted from a CPU core's private caches? Those are the only stores of a CPU
 * core; no instruction requests them. */
static inline bool mem_is_write_back(const struct mem_access *a)
{
    return a->device == 1 && a->kind == MEM_STORE;
}

/* The bytes of these 32-byte pieces of a line of up to 128 bytes. */
static inline void mem_bytes_of_segments(uint32_t segments, uint64_t bytes[2])
{
    for (int half = 0; half < 2; half++, segments >>= 2)
        bytes[half] = (segments & 1 ? 0xffffffffull : 0) | (segments & 2 ? 0xffffffffull << 32 : 0);
}

/* Does the access request every byte of these sectors? A line without sectors is one sector. */
static inline bool mem_covers_sectors(const struct mem_access *a, uint32_t sectors,
                                      uint32_t sector_bytes)
{
    uint64_t whole = sector_bytes < 64 ? (1ull << sector_bytes) - 1 : UINT64_MAX;
    if (sector_bytes > 64)
        return (a->byte_mask[0] & a->byte_mask[1]) == UINT64_MAX;
    for (; sectors; sectors &= sectors - 1) {
        uint32_t byte = (uint32_t)__builtin_ctz(sectors) * sector_bytes;
        if (~(a->byte_mask[byte / 64] >> byte % 64) & whole)
            return false;
    }
    return true;
}

#endif
