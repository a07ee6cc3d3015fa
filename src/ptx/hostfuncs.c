#include <string.h>

#include "ptx/program.h"

const char *const ptx_host_functions[PTX_N_HOST_FUNCTIONS] = {
#define HOSTFUNC(id, name) [PTX_HOST_##id] = name,
#include "ptx/hostfuncs.def"
#undef HOSTFUNC
};

enum ptx_host_function ptx_find_host_function(const char *name)
{
    uint32_t k = 0;
    while (k < PTX_N_HOST_FUNCTIONS && strcmp(ptx_host_functions[k], name) != 0)
        k++;
    return (enum ptx_host_function)k;
}
