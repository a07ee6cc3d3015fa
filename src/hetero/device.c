#include "hetero/device.h"

const char *const hetero_device_names[N_HETERO_DEVICES] = {"gpu", "heteropdp"};
const char *const hetero_mode_names[N_HETERO_MODES] = {"predict", "cmp", "gpu", "alternate"};
