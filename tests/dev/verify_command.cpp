// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verify_command.h"

#include "tests/dev/commands.h"
#include "tests/dev/engine/checked.h"

namespace heddle::dev {

void addVerify(app::CommandBuilder& root) {
    app::addVerifyCommand(
        root, {"Run golden cases and properties through the modules that training uses",
               "Cases of the same format, without the properties (default: those that ship with Heddle)",
               "Golden cases and parameter counts alone, in seconds: no properties, and with --device no training passes",
               "heddle-dev verify\nheddle-dev verify --only causality --json\nheddle-dev verify --device cuda",
               [](const VerifyRequest& request, const app::Context&) { return checkedVerify(request); }});
}

}  // namespace heddle::dev
