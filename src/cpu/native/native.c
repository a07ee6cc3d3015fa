/* Small native programs to be recorded as CPU traces (cpu/programs.h): they load a memory system
 * like SPEC's programs, without SPEC. Each runs forever; the recorder ends it.
 *
 *     heddle-native chase|lattice|fluid|matmul */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "native.h"

/* Fresh pages: they are already zero. */
void *native_alloc(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "heddle-native: out of memory\n");
        exit(4);
    }
    return p;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"chase", native_chase},
                    {"lattice", native_lattice},
                    {"fluid", native_fluid},
                    {"matmul", native_matmul}};
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            programs[i].run();
    fprintf(stderr, "heddle-native: name one of chase, lattice, fluid, matmul\n");
    return 2;
}
