// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/session/runs/checkpoint_folders.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "storage/database_report.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

constexpr int kDamagedCode = 3;

int verifyRuns(const Context& context) {
    const auto query = storage::RunQuery::open(context.database);
    const auto records = storage::verifyDatabase(context.database, {});
    const std::string artifacts = storage::artifactFolder(std::filesystem::absolute(context.database).string());
    std::vector<std::string> problems = records.problems;
    for (auto& problem : checkpointProblems(*query, artifacts)) problems.push_back(std::move(problem));
    if (context.json) {
        context.print({{"schema", "heddle.verified/1"},
                       {"database", context.database},
                       {"records", records.records},
                       {"problems", problems}});
    } else {
        for (const auto& problem : problems) context.out << printable(problem) << "\n";
        context.out << fmt::format("{} records, every checkpoint and tokenizer read: {}\n", countText(records.records),
                                   problems.empty() ? "nothing is damaged" : "damage found; the rest is as it was written");
    }
    return problems.empty() ? 0 : kDamagedCode;
}

}  // namespace

void addRunsVerify(CommandBuilder& runs) {
    runs.command("verify", "Read every record, checkpoint and tokenizer of the database and check it against its checksum")
        .examples("heddle runs verify --db experiments.heddle")
        .action([](Context& context) { return verifyRuns(context); });
}

}  // namespace heddle::app
