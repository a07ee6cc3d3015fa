/* The environment of OpenCL programs (exec.h): options as variables, and a loader that finds
 * libheddle_ocl. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beside.h"
#include "cli/exec.h"
#include "cli/output.h"
#include "front/cache.h"

static bool set_text(const char *name, const char *value)
{
    return !value || setenv(name, value, 1) == 0;
}

static bool set_flag(const char *name, bool value)
{
    return !value || setenv(name, "1", 1) == 0;
}

static bool set_number(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return !value || setenv(name, text, 1) == 0;
}

static bool set_list(const char *name, const struct text_list *list, const char *separator)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < list->n; i++)
        strbuf_addf(&text, "%s%s", list->items[i], separator);
    bool ok = !list->n || setenv(name, strbuf_text(&text), 1) == 0;
    strbuf_destroy(&text);
    return ok;
}

/* Programs that insist on a CPU should run too, if no other platform has one. */
static bool set_device_type(const struct exec_options *o)
{
    static const char name[] = "HEDDLE_CL_DEVICE_TYPE";
    return o->device_type || o->beside ? set_text(name, o->device_type)
                                       : setenv(name, "any", 0) == 0;
}

static bool set_options(const struct exec_options *o)
{
    return set_flag("HEDDLE_FUNCTIONAL", o->functional) &&
           set_flag("HEDDLE_LOOSE_BOUNDS", o->loose_bounds) &&
           set_flag("HEDDLE_ATTRIBUTE", o->attribute) && set_flag("HEDDLE_KERNELS", o->kernels) &&
           set_flag("HEDDLE_SUMMARY", o->summary || o->kernels) && set_text("HEDDLE_GPU", o->gpu) &&
           set_text("HEDDLE_SCHEDULER", o->scheduler) && set_text("HEDDLE_L1D", o->l1d) &&
           set_text("HEDDLE_ATOMICS", o->atomics) &&
           set_text("HEDDLE_ANNOTATIONS", o->annotations) &&
           set_text("HEDDLE_L2_REPORT", o->l2_report) && set_flag("HEDDLE_L2_WATCH", o->l2_watch) &&
           set_list("HEDDLE_SET", &o->settings, "\n") &&
           set_list("HEDDLE_PLUGINS", &o->plugins, ":") && set_text("HEDDLE_RESULT", o->result) &&
           set_number("HEDDLE_THREADS", o->threads) &&
           set_number("HEDDLE_MAX_CYCLES", o->max_cycles) &&
           set_number("HEDDLE_MAX_INSTS", o->max_insts) && set_text("HEDDLE_JSON", o->json) &&
           set_text("HEDDLE_STORE", o->store) && set_text("HEDDLE_RECORD", o->record) &&
           set_number("HEDDLE_SERIES", o->series) && set_text("HEDDLE_SERIES_OUT", o->series_out) &&
           set_text("HEDDLE_SERIES_COLUMNS", o->series_columns) &&
           set_text("HEDDLE_CL_VERSION", o->version) && set_device_type(o) &&
           set_text("HEDDLE_DEVICE", o->device) &&
           set_text("HEDDLE_HETERO_TARGET", o->hetero_target) &&
           set_text("HEDDLE_HETERO_MODELS", o->hetero_models) &&
           set_text("HEDDLE_HETERO_NATIVES", o->hetero_natives) &&
           set_text("HEDDLE_HETERO_LOG", o->hetero_log);
}

/* --- the library, and how loaders find it --- */

/* Beside the program, or in the installation; NULL after reporting that it is missing. */
static const char *find_library(struct arena *arena)
{
    static const char *const places[] = {"libheddle_ocl.so",
                                         "../" HEDDLE_LIBDIR "/libheddle_ocl.so"};
    const char *own = getenv("HEDDLE_OCL"), *found = NULL;
    struct strbuf path = {0};
    if (own && *own)
        return own;
    if (beside_find(places, sizeof places / sizeof *places, &path))
        found = arena_strdup(arena, strbuf_text(&path));
    else
        output_error(
            "libheddle_ocl.so, the OpenCL device, is neither in %s nor in %s/../%s; `make` "
            "builds it, HEDDLE_OCL=PATH names another place",
            strbuf_text(&path), strbuf_text(&path), HEDDLE_LIBDIR);
    strbuf_destroy(&path);
    return found;
}

static bool place_icd(const char *folder, const char *name, const char *text)
{
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s", folder, name);
    bool ok = disk_cache_write_file(strbuf_text(&path), text, strlen(text));
    strbuf_destroy(&path);
    return ok;
}

static void add_others(const char *folder)
{
    glob_t found;
    if (glob("/etc/OpenCL/vendors/*.icd", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct strbuf text = {0};
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        if (strbuf_read_file(&text, found.gl_pathv[i]) == 0 && !strstr(name, "heddle"))
            place_icd(folder, name, strbuf_text(&text));
        strbuf_destroy(&text);
    }
    globfree(&found);
}

/* A folder of .icd files: ours, and on request those of the machine. NULL if it cannot be
 * created. */
static const char *make_vendors(const char *library, bool beside, struct arena *arena)
{
    const char *cache = disk_cache_folder(arena);
    if (!cache)
        return NULL;
    const char *folder = arena_printf(arena, "%s/%s", cache, beside ? "vendors-all" : "vendors");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return NULL;
    if (beside)
        add_others(folder);
    return place_icd(folder, "heddle.icd", library) ? folder : NULL;
}

/* Debian's loader accepts a library in OCL_ICD_VENDORS, Khronos' a list of them in
 * OCL_ICD_FILENAMES; OPENCL_VENDOR_PATH is a folder for either. */
static bool set_loader(const char *library, const char *vendors, bool beside)
{
    if (beside && !vendors) {
        output_error("--beside needs a writable folder: name one with HEDDLE_CACHE");
        return false;
    }
    return setenv("OCL_ICD_VENDORS", beside ? vendors : library, 1) == 0 &&
           setenv("OCL_ICD_FILENAMES", library, 1) == 0 &&
           (!vendors || setenv("OPENCL_VENDOR_PATH", vendors, 1) == 0);
}

enum heddle_status exec_prepare(const struct exec_options *o, struct arena *arena)
{
    const char *library = find_library(arena);
    if (library && set_loader(library, make_vendors(library, o->beside, arena), o->beside) &&
        set_options(o))
        return HEDDLE_OK;
    return HEDDLE_ENVIRONMENT;
}

enum heddle_status exec_replace(const struct text_list *command, struct arena *arena)
{
    char **argv = ARENA_ARRAY(arena, char *, command->n + 1);
    for (uint32_t i = 0; i < command->n; i++)
        argv[i] = (char *)command->items[i];
    fflush(NULL);
    execvp(argv[0], argv);
    output_error("cannot run %s: %s", argv[0], strerror(errno));
    return errno == ENOENT ? HEDDLE_BAD_INPUT : HEDDLE_ENVIRONMENT;
}
