/* Reports which plug-in crashed. */
#ifndef HEDDLE_CLI_PLUGIN_CRASH_H
#define HEDDLE_CLI_PLUGIN_CRASH_H

/* From now on a fatal signal from this file's code is reported with its name; then the program dies
 * of it as before. Call it when the object has been loaded. */
void plugin_crash_watch(const char *file);

#endif
