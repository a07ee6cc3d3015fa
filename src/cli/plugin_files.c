#include "cli/plugin_files.h"

#include "cli/output.h"
#include "cli/plugin_crash.h"
#include "gpu/plugins.h"

enum heddle_status plugin_files_load(const struct text_list *files)
{
    for (uint32_t i = 0; i < files->n; i++) {
        struct strbuf why = {0};
        bool ok = plugins_load(files->items[i], &why);
        if (!ok)
            output_error("--plugin %s: %s", files->items[i], strbuf_text(&why));
        strbuf_destroy(&why);
        if (!ok)
            return HEDDLE_BAD_INPUT;
        plugin_crash_watch(files->items[i]);
    }
    return HEDDLE_OK;
}
