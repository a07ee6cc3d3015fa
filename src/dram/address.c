/* Where an address lies: partition, bank, row, column.
 *
 *     chunk       = address / interleave_bytes
 *     partition   = chunk mod n_partitions; hashed: all groups of log2(n_partitions) bits of the
 *                   chunk's number, xored
 *     local       = chunk / n_partitions * interleave_bytes + address mod interleave_bytes
 *     piece       = local / bank_interleave_bytes
 *     bank before = piece mod n_banks
 *     in its bank = piece / n_banks * bank_interleave_bytes + local mod bank_interleave_bytes
 *     row, column = in its bank / row_bytes, in its bank mod row_bytes
 *     bank        = (bank before) xor (row mod n_banks), or their sum modulo n_banks; bank before,
 *                   if banks are kept
 *
 * Every step is invertible, so the map is one-to-one. The permutation by row sends strides of
 * n_banks * row_bytes, which would all fall into one bank, through all of them (Zhang, Zhu and
 * Zhang, MICRO 2000).
 *
 * MODEL: unless asked for, partitions are not hashed: strides of n_partitions * interleave_bytes
 * camp on one partition, as they do on GPUs of the Fermi generation and in GPGPU-Sim's models of
 * them. */
#include "dram/dram.h"

#include "base/power_of_two.h"

static uint32_t permute_bank(uint32_t bank, uint32_t row, uint32_t n_banks, bool keep)
{
    if (keep)
        return bank;
    if (is_power_of_two(n_banks))
        return bank ^ (row & (n_banks - 1));
    return (bank + row % n_banks) % n_banks;
}

uint32_t address_hash_any(uint64_t chunk, uint32_t n_partitions)
{
    uint64_t folded = 0;
    for (uint32_t bits = (uint32_t)__builtin_ctz(n_partitions); bits && chunk; chunk >>= bits)
        folded ^= chunk;
    return (uint32_t)folded & (n_partitions - 1);
}

struct dram_address address_split(const struct address_map *m, uint64_t address)
{
    uint32_t piece_bytes = m->bank_interleave_bytes ? m->bank_interleave_bytes : m->row_bytes;
    uint64_t chunk = address / m->interleave_bytes;
    uint64_t local = chunk / m->n_partitions * m->interleave_bytes + address % m->interleave_bytes;
    uint64_t piece = local / piece_bytes;
    uint64_t in_bank = piece / m->n_banks * piece_bytes + local % piece_bytes;
    uint32_t row = (uint32_t)(in_bank / m->row_bytes);
    return (struct dram_address){
        .partition = address_partition(m, address),
        .bank = permute_bank((uint32_t)(piece % m->n_banks), row, m->n_banks, m->keep_banks),
        .row = row,
        .column = (uint32_t)(in_bank % m->row_bytes),
        .local = local,
    };
}

struct bank_map bank_map_make(const struct address_map *m)
{
    uint32_t piece_bytes = m->bank_interleave_bytes ? m->bank_interleave_bytes : m->row_bytes;
    return (struct bank_map){
        .piece_bytes = divider_make(piece_bytes),
        .n_banks = divider_make(m->n_banks),
        .row_bytes = divider_make(m->row_bytes),
        .shifts = is_power_of_two(piece_bytes) && is_power_of_two(m->n_banks) &&
                  is_power_of_two(m->row_bytes) && piece_bytes <= m->row_bytes,
        .keep_banks = m->keep_banks,
        .piece_shift = (uint8_t)__builtin_ctz(piece_bytes),
        .bank_shift = (uint8_t)__builtin_ctz(m->n_banks),
        .rows_shift = (uint8_t)(__builtin_ctz(m->n_banks) + __builtin_ctz(m->row_bytes)),
    };
}

struct dram_place bank_map_divide(const struct bank_map *m, uint64_t local)
{
    uint64_t piece = divider_div(&m->piece_bytes, local);
    uint64_t turn = divider_div(&m->n_banks, piece);
    uint32_t bank = divider_rem(&m->n_banks, piece, turn);
    uint64_t in_bank = turn * m->piece_bytes.divisor + divider_rem(&m->piece_bytes, local, piece);
    uint64_t row = divider_div(&m->row_bytes, in_bank);
    return (struct dram_place){
        .bank = permute_bank(bank, (uint32_t)row, m->n_banks.divisor, m->keep_banks),
        .row = (uint32_t)row,
        .column = divider_rem(&m->row_bytes, in_bank, row)};
}
