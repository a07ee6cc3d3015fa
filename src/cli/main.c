#include <signal.h>
#include <stdio.h>

#include "base/host_check.h"
#include "cli/command.h"
#include "cli/output.h"
#include "heddle/heddle.h"

int main(int argc, char **argv)
{
    const char *unfit = host_check();
    if (unfit) {
        fprintf(stderr, "heddle: %s", unfit);
        return HEDDLE_ENVIRONMENT;
    }
    signal(SIGCHLD, SIG_DFL); /* inherited as ignored, it would hide how our children end */
    output_init();
    return command_line(argc, argv);
}
