/* Names the plug-in that crashed. */
#ifndef HEDDLE_CLI_PLUGIN_CRASH_H
#define HEDDLE_CLI_PLUGIN_CRASH_H

/* From now on a signal that ends the program is reported with this file if it comes from there;
 * then the program dies of it as before. Call when the object has been loaded. */
void plugin_crash_watch(const char *file);

#endif
