// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/commands.h"

namespace heddle::dev {
namespace {

void addCommands(app::CommandBuilder& root) {
    addVerify(root);
    auto bench = root.command("bench", "Measure training beside PyTorch's programs, and count what a step launches");
    addTrain(bench);
    addPeers(bench);
    addLaunches(bench);
}

}  // namespace

const app::CommandSet& devCommands() {
    static const app::CommandSet kSet{"heddle-dev", "Checks and measurements for developers of Heddle", addCommands};
    return kSet;
}

}  // namespace heddle::dev
