/* Words that select the OpenCL device and how Heddle HeteroPDP chooses a target: in variables, and
 * in options of `heddle exec`. */
#ifndef HEDDLE_HETERO_DEVICE_H
#define HEDDLE_HETERO_DEVICE_H

enum hetero_device { DEVICE_GPU, DEVICE_HETEROPDP, N_HETERO_DEVICES };
extern const char *const hetero_device_names[N_HETERO_DEVICES];

enum hetero_mode { MODE_PREDICT, MODE_CMP, MODE_GPU, MODE_ALTERNATE, N_HETERO_MODES };
extern const char *const hetero_mode_names[N_HETERO_MODES];

#endif
