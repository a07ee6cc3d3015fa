/* A key-value store that answers requests, one work-item per request.
 *
 * A work-item parses its own packet byte by byte ("get KEY\r\n") and hashes the key on the way, walks
 * the chain of the bucket, compares keys byte by byte, and copies the value it finds. Packets lie a
 * fixed distance apart, so a warp reads 32 lines at once and comes back to each of them for every
 * byte; where in the store it goes then depends on the keys. */

struct item {
    uint next; /* in the chain of its bucket: number of an item + 1, 0 at the end */
    uint key_at, key_bytes;
    uint value_at, value_bytes;
};

/* Jenkins's one-at-a-time hash, a byte at a time and at the end. */
static uint hash_byte(uint hash, uchar byte)
{
    hash += byte;
    hash += hash << 10;
    return hash ^ (hash >> 6);
}

static uint hash_end(uint hash)
{
    hash += hash << 3;
    hash ^= hash >> 11;
    return hash + (hash << 15);
}

static bool is_key(__global const struct item *item, __global const uchar *store,
                   __global const uchar *key, uint key_bytes)
{
    if (item->key_bytes != key_bytes)
        return false;
    __global const uchar *stored = store + item->key_at;
    uint i = 0;
    while (i < key_bytes && stored[i] == key[i])
        i++;
    return i == key_bytes;
}

/* answer_bytes[r] becomes the length of the value, -1 if there is no such key, -2 if the request
 * cannot be read. */
__kernel void memc_get(__global const uchar *packets, uint packet_bytes, uint n_requests,
                       __global const uint *buckets, uint n_buckets,
                       __global const struct item *items, __global const uchar *store,
                       __global int *answer_bytes, __global uchar *answers, uint answer_stride)
{
    uint r = get_global_id(0);
    if (r >= n_requests)
        return;
    __global const uchar *packet = packets + r * packet_bytes;
    if (packet[0] != 'g' || packet[1] != 'e' || packet[2] != 't' || packet[3] != ' ') {
        answer_bytes[r] = -2;
        return;
    }
    __global const uchar *key = packet + 4;
    uint hash = 0, key_bytes = 0;
    for (; key[key_bytes] != '\r'; key_bytes++)
        hash = hash_byte(hash, key[key_bytes]);

    uint at = buckets[hash_end(hash) & (n_buckets - 1)];
    while (at != 0 && !is_key(&items[at - 1], store, key, key_bytes))
        at = items[at - 1].next;
    if (at == 0) {
        answer_bytes[r] = -1;
        return;
    }
    __global const struct item *found = &items[at - 1];
    __global const uchar *value = store + found->value_at;
    for (uint i = 0; i < found->value_bytes; i++)
        answers[r * answer_stride + i] = value[i];
    answer_bytes[r] = (int)found->value_bytes;
}
