#include "cli/command.h"
#include "cli/output.h"

int main(int argc, char **argv)
{
    output_init();
    return command_line(argc, argv);
}
