/* The only platform; its devices exist from the first call until the process ends. */
#ifndef HEDDLE_ICD_PLATFORM_H
#define HEDDLE_ICD_PLATFORM_H

#include "icd/object.h"
#include "icd/settings.h"

struct _cl_platform_id {
    struct icd_object base;
    struct icd_settings settings;
    struct _cl_device_id **devices;
    uint32_t n_devices;
    uint32_t n_hidden; /* after them: devices that programs do not see */
    struct strbuf extensions;
    cl_name_version *extension_versions;
    size_t n_extensions;
};

/* Created on the first call. If the environment's settings are not valid, the platform has no
 * devices and standard error says why. */
struct _cl_platform_id *platform_get(void);

/* One list for CL_*_EXTENSIONS and CL_*_EXTENSIONS_WITH_VERSION. */
const char *icd_extensions(void);
const cl_name_version *icd_extension_versions(size_t *n);

/* Messages for the user, to standard error, each line prefixed with our name. */
void icd_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
