/* The address map against its inverse, written from the documented steps, and the spread of strides
 * over banks and partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram/dram.h"
#include "unit/random_bits.h"

static const struct address_map maps[] = {
    {.n_partitions = 6,
     .interleave_bytes = 256,
     .n_banks = 16,
     .row_bytes = 4096,
     .bank_interleave_bytes = 256},
    {.n_partitions = 12,
     .interleave_bytes = 256,
     .n_banks = 6,
     .row_bytes = 2048,
     .bank_interleave_bytes = 256},
    {.n_partitions = 8, .interleave_bytes = 256, .n_banks = 8, .row_bytes = 2048},
    {.n_partitions = 1, .interleave_bytes = 128, .n_banks = 1, .row_bytes = 512},
    {.n_partitions = 7,
     .interleave_bytes = 1024,
     .n_banks = 5,
     .row_bytes = 1024,
     .bank_interleave_bytes = 64},
    {.n_partitions = 64,
     .interleave_bytes = 256,
     .n_banks = 16,
     .row_bytes = 1024,
     .bank_interleave_bytes = 256,
     .hash_partitions = true},
    {.n_partitions = 2,
     .interleave_bytes = 512,
     .n_banks = 3,
     .row_bytes = 2048,
     .hash_partitions = true},
    {.n_partitions = 8,
     .interleave_bytes = 256,
     .n_banks = 8,
     .row_bytes = 512,
     .bank_interleave_bytes = 2048,
     .hash_partitions = true},
    {.n_partitions = 16,
     .interleave_bytes = 256,
     .n_banks = 8,
     .row_bytes = 512,
     .bank_interleave_bytes = 512,
     .hash_partitions = true},
    {.n_partitions = 128,
     .interleave_bytes = 256,
     .n_banks = 8,
     .row_bytes = 512,
     .bank_interleave_bytes = 1024,
     .hash_partitions = true},
    {.n_partitions = 256,
     .interleave_bytes = 256,
     .n_banks = 8,
     .row_bytes = 512,
     .bank_interleave_bytes = 256,
     .hash_partitions = true},
    {.n_partitions = 6,
     .interleave_bytes = 256,
     .n_banks = 16,
     .row_bytes = 4096,
     .bank_interleave_bytes = 4096,
     .keep_banks = true},
    {.n_partitions = 12,
     .interleave_bytes = 256,
     .n_banks = 6,
     .row_bytes = 2048,
     .bank_interleave_bytes = 256,
     .keep_banks = true},
};
enum { N_MAPS = sizeof maps / sizeof maps[0] };

/* From partition, bank, row and column back to the address; the bank that the row moved is found by
 * trying. */
static uint64_t join(const struct address_map *m, const struct dram_address *a)
{
    uint32_t piece_bytes = m->bank_interleave_bytes ? m->bank_interleave_bytes : m->row_bytes;
    uint32_t bank = 0;
    bool power_of_two = __builtin_popcount(m->n_banks) == 1;
    uint32_t row = m->keep_banks ? 0 : a->row;
    while ((power_of_two ? (bank ^ row % m->n_banks) : (bank + row) % m->n_banks) != a->bank)
        bank++;
    uint64_t in_bank = (uint64_t)a->row * m->row_bytes + a->column;
    uint64_t local =
        (in_bank / piece_bytes * m->n_banks + bank) * piece_bytes + in_bank % piece_bytes;
    uint64_t turn = local / m->interleave_bytes, in_chunk = local % m->interleave_bytes;
    uint32_t partition = a->partition;
    for (uint64_t above = turn; m->hash_partitions && above; above /= m->n_partitions)
        partition ^= (uint32_t)(above % m->n_partitions);
    return (turn * m->n_partitions + partition) * m->interleave_bytes + in_chunk;
}

static void assert_inverts(const struct address_map *m, uint64_t address)
{
    struct dram_address a = address_split(m, address);
    assert_true(a.partition < m->n_partitions && a.bank < m->n_banks && a.column < m->row_bytes);
    assert_int_equal(join(m, &a), address);
}

/* The shorter way for a partition's own addresses, joined back by the same inverse. */
static void assert_places(const struct address_map *m, uint64_t address)
{
    struct bank_map banks = bank_map_make(m);
    struct dram_place d = bank_map_place(&banks, address_local(m, address));
    struct dram_address a = {.partition = address_partition(m, address),
                             .bank = d.bank,
                             .row = d.row,
                             .column = d.column};
    assert_int_equal(join(m, &a), address);
}

static void splitting_is_one_to_one(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < N_MAPS; i++) {
        for (uint64_t address = 0; address < 1 << 20; address += 32)
            assert_inverts(&maps[i], address);
        for (int k = 0; k < 10000; k++)
            assert_inverts(&maps[i], random_u64(&seed) >> 24);
    }
}

static void a_partition_places_its_own_addresses_the_same(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < N_MAPS; i++) {
        for (uint64_t address = 0; address < 1 << 20; address += 32)
            assert_places(&maps[i], address);
        for (int k = 0; k < 10000; k++)
            assert_places(&maps[i], random_u64(&seed) >> 24);
    }
}

static void consecutive_chunks_go_to_consecutive_partitions(void **state)
{
    (void)state;
    for (int i = 0; i < N_MAPS; i++)
        for (uint64_t chunk = 0; !maps[i].hash_partitions && chunk < 1000; chunk++) {
            uint64_t address = chunk * maps[i].interleave_bytes;
            struct dram_address first = address_split(&maps[i], address);
            struct dram_address last =
                address_split(&maps[i], address + maps[i].interleave_bytes - 1);
            assert_int_equal(first.partition, chunk % maps[i].n_partitions);
            assert_int_equal(last.partition, first.partition);
        }
}

/* Any 64 chunks from a multiple of 64 on lie in 64 partitions; so do 64 chunks that are 2^k chunks
 * apart, which without a hash would all lie in one for k of 6 and more. */
static void hashed_partitions_are_all_used_by_strides(void **state)
{
    (void)state;
    const struct address_map *m = &maps[5];
    for (uint32_t shift = 0; shift < 20; shift++)
        for (uint64_t first = 0; first < 5; first++) {
            uint64_t seen = 0;
            for (uint64_t i = 0; i < 64; i++) {
                uint64_t chunk = (first * 64 + i) << shift;
                seen |= 1ull << address_split(m, chunk * m->interleave_bytes).partition;
            }
            assert_true(seen == ~0ull);
        }
}

/* A partition sees its own addresses without holes: set indices of its L2 slice use them all. */
static void local_addresses_are_compact(void **state)
{
    (void)state;
    const struct address_map *m = &maps[0];
    uint64_t next[6] = {0};
    for (uint64_t address = 0; address < 1 << 20; address += 64) {
        struct dram_address a = address_split(m, address);
        assert_int_equal(a.local, next[a.partition]);
        next[a.partition] += 64;
    }
}

/* Of 256 accesses a power-of-two stride apart in one partition, no bank gets more than twice its
 * share as long as there are several rows or banks to spread over. */
static void power_of_two_strides_use_all_banks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct address_map m = maps[i];
        m.n_partitions = 1;
        uint32_t step = m.bank_interleave_bytes ? m.bank_interleave_bytes : m.row_bytes;
        for (uint64_t stride = step; stride <= (uint64_t)m.n_banks * m.row_bytes; stride *= 2) {
            uint32_t used[16] = {0};
            for (uint64_t k = 0; k < 256; k++)
                used[address_split(&m, k * stride).bank]++;
            for (uint32_t bank = 0; bank < m.n_banks; bank++)
                assert_in_range(used[bank], 256 / m.n_banks / 2, 2 * 256 / m.n_banks);
        }
    }
}

/* GPGPU-Sim 3.2's mapping of a GTX 480, RRRR.RRRRRRRR.BBBBCCCC.CCSSSSSS: the bank is bits 12 to 15
 * of a partition's address, whatever the row, so a stride of 64 KB stays in one bank. */
static void kept_banks_are_bits_of_the_address(void **state)
{
    (void)state;
    struct address_map m = maps[N_MAPS - 2];
    m.n_partitions = 1;
    struct bank_map banks = bank_map_make(&m);
    for (uint64_t address = 0; address < 1 << 20; address += 1 << 11) {
        assert_int_equal(address_split(&m, address).bank, address >> 12 & 15);
        assert_int_equal(bank_map_place(&banks, address).bank, address >> 12 & 15);
        assert_int_equal(bank_map_divide(&banks, address).bank, address >> 12 & 15);
    }
}

static void a_hash_folds_all_bits_of_a_chunk(void **state)
{
    (void)state;
    uint64_t chunk = 0x9e3779b97f4a7c15;
    for (uint32_t n = 1; n <= 1024; n *= 2)
        for (int i = 0; i < 50; i++, chunk *= 0xd1342543de82ef95) {
            uint64_t expected = 0;
            for (uint64_t above = chunk; n > 1 && above; above /= n)
                expected ^= above % n;
            assert_int_equal(address_hash(chunk, n), expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitting_is_one_to_one),
        cmocka_unit_test(a_partition_places_its_own_addresses_the_same),
        cmocka_unit_test(consecutive_chunks_go_to_consecutive_partitions),
        cmocka_unit_test(hashed_partitions_are_all_used_by_strides),
        cmocka_unit_test(a_hash_folds_all_bits_of_a_chunk),
        cmocka_unit_test(local_addresses_are_compact),
        cmocka_unit_test(power_of_two_strides_use_all_banks),
        cmocka_unit_test(kept_banks_are_bits_of_the_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
