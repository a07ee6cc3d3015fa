/* AES-256 in electronic codebook mode: one block of 16 bytes per work-item. The state is four
 * columns of four bytes, the first byte of a column in the low bits. */

#define ROUNDS 14

static uint substitute(__global const uchar *box, uint a, uint b, uint c, uint d)
{
    return (uint)box[a & 255] | (uint)box[b >> 8 & 255] << 8 | (uint)box[c >> 16 & 255] << 16 |
           (uint)box[d >> 24] << 24;
}

/* Four bytes at once times x in GF(2^8). */
static uint times_x(uint v)
{
    return (v & 0x7f7f7f7f) << 1 ^ (v >> 7 & 0x01010101) * 0x1b;
}

static uint mix_column(uint v)
{
    uint all = v ^ rotate(v, 8u) ^ rotate(v, 16u) ^ rotate(v, 24u);
    return v ^ all ^ times_x(v ^ rotate(v, 24u));
}

__kernel void aes256_encrypt(__global uint4 *blocks, __constant uint4 *round_keys,
                             __global const uchar *box)
{
    uint4 s = blocks[get_global_id(0)] ^ round_keys[0];
    for (int round = 1; round < ROUNDS; round++) {
        uint4 t = (uint4)(substitute(box, s.x, s.y, s.z, s.w), substitute(box, s.y, s.z, s.w, s.x),
                          substitute(box, s.z, s.w, s.x, s.y), substitute(box, s.w, s.x, s.y, s.z));
        s = (uint4)(mix_column(t.x), mix_column(t.y), mix_column(t.z), mix_column(t.w)) ^
            round_keys[round];
    }
    uint4 t = (uint4)(substitute(box, s.x, s.y, s.z, s.w), substitute(box, s.y, s.z, s.w, s.x),
                      substitute(box, s.z, s.w, s.x, s.y), substitute(box, s.w, s.x, s.y, s.z));
    blocks[get_global_id(0)] = t ^ round_keys[ROUNDS];
}
