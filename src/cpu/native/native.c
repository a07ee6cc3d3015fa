/* Small native programs to be recorded as CPU traces (cpu/programs.h): what SPEC's programs do to a
 * memory system, without SPEC. Each runs for ever; the recorder ends it.
 *
 *     heddle-native chase|lattice|matmul */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

void *native_alloc(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "heddle-native: out of memory\n");
        exit(4);
    }
    memset(p, 0, bytes);
    return p;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {
        {"chase", native_chase}, {"lattice", native_lattice}, {"matmul", native_matmul}};
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            programs[i].run();
    fprintf(stderr, "heddle-native: which of chase, lattice, matmul?\n");
    return 2;
}
