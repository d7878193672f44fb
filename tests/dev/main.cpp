// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"
#include "app/session/process/process_signals.h"
#include "tests/dev/commands.h"

#include <iostream>

int main(int argc, char** argv) {
    heddle::app::ignoreFileSizeSignal();
    return heddle::app::runCli({argv + 1, argv + argc}, std::cout, std::cerr, {{}, heddle::dev::devCommands()});
}
