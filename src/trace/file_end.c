/* Finds the end of a trace in a file that something may have been appended to. */
#include <errno.h>
#include <unistd.h>

#include "trace/bytes.h"
#include "trace/file.h"

enum { MAGIC_BYTES = 8, BLOCK_BYTES = 1 << 16 };

static bool read_at(int fd, uint64_t at, uint8_t *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, to + done, n - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool trace_footer_ends_at(int fd, uint64_t end)
{
    uint8_t tail[TRACE_TAIL_BYTES], head[TRACE_CHUNK_HEAD];
    if (end < TRACE_HEAD_BYTES + sizeof head + sizeof tail ||
        !read_at(fd, end - sizeof tail, tail, sizeof tail))
        return false;
    struct cursor in = {tail, tail + 8, false};
    uint64_t footer = cursor_get_fixed(&in, 8), most = end - sizeof tail - sizeof head;
    if (footer > most || !read_at(fd, footer, head, sizeof head) || head[0] != TAG_FOOTER)
        return false;
    in = (struct cursor){head + 1, head + 5, false};
    return cursor_get_fixed(&in, 4) == most - footer;
}

/* The same, and the magic follows it. */
static bool ends_at(int fd, uint64_t end)
{
    uint8_t magic[MAGIC_BYTES];
    return end >= sizeof magic && read_at(fd, end - sizeof magic, magic, sizeof magic) &&
           memcmp(magic, TRACE_END_MAGIC, sizeof magic) == 0 && trace_footer_ends_at(fd, end);
}

uint64_t trace_find_end(int fd, uint64_t bytes)
{
    if (ends_at(fd, bytes))
        return bytes;
    uint8_t block[BLOCK_BYTES + MAGIC_BYTES - 1]; /* a magic may span two blocks */
    for (uint64_t end = bytes, start; end > TRACE_HEAD_BYTES; end = start) {
        start = end > BLOCK_BYTES ? end - BLOCK_BYTES : 0;
        uint64_t n = end - start + MAGIC_BYTES - 1;
        n = n < bytes - start ? n : bytes - start;
        if (!read_at(fd, start, block, n))
            return 0;
        for (uint64_t i = n; i >= MAGIC_BYTES; i--)
            if (memcmp(block + i - MAGIC_BYTES, TRACE_END_MAGIC, MAGIC_BYTES) == 0 &&
                ends_at(fd, start + i))
                return start + i;
    }
    return 0;
}
