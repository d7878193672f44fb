// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/session/engine_loader.h"
#include "app/session/requests.h"

namespace heddle::app {
namespace {

int resume(const std::string& text, const Context& context) {
    const storage::RunRecord run = findRun(*openDatabase(context), text);
    requireResumable(run);  // before anybody waits for the engine or for the database
    loadEngine();
    return followRun(context, openSession(context, "resume", ""), [&](RunSession& owner) {
        owner.resume(run.id);
        return run.id;
    });
}

}  // namespace

void addResume(CommandBuilder& root) {
    auto run = std::make_shared<std::string>();
    root.command("resume", "Go on with a run from its newest intact checkpoint")
        .positional("RUN", *run, "Id, unique prefix of one, or unique name")
        .examples(
            "heddle resume 3f2a\n"
            "heddle resume base --db experiments.heddle")
        .action([run](Context& context) { return resume(*run, context); });
}

}  // namespace heddle::app
