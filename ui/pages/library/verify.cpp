// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/verify.h"

#include "engine/base/recorded_file.h"
#include "storage/database_report.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <QDateTime>

#include <set>

namespace heddle::ui {
namespace {

void checkFile(const std::string& artifacts, const RecordedFile& file, VerifiedFacts& facts) {
    if (file.sha256.empty()) return;
    ++facts.files;
    const std::string problem = recordedFileProblem(artifacts, file);
    if (problem.empty()) return;
    ++facts.wrongFiles;
    facts.problems << QString::fromStdString(problem);
}

}  // namespace

std::optional<VerifiedFacts> verify(const QString& file, const TaskControl& task) {
    VerifiedFacts facts;
    std::int64_t runs = 0;
    const auto result = storage::verifyDatabase(file.toStdString(), [&](std::int64_t done, std::int64_t total) {
        runs = total;
        task.advance(done, 2 * runs);  // the records of each run, then its checkpoint files
        return !task.isCancelled();
    });
    if (result.cancelled) return std::nullopt;
    std::int64_t done = runs;  // the callback was not called after the last run
    facts.records = result.records;
    facts.damaged = result.damaged;
    for (const auto& problem : result.problems) facts.problems << QString::fromStdString(problem);
    // A check has connections of its own, here and above: it reads the whole file, which would block the window's reader.
    const auto query = storage::RunQuery::open(file.toStdString());
    const std::string artifacts = storage::artifactFolder(file.toStdString());
    for (const auto& run : query->runs()) {
        if (task.isCancelled()) return std::nullopt;
        std::set<std::string> seen;  // best and last may be the same folder
        for (const auto& c : query->checkpoints(run.id)) {
            if (!seen.insert(c.folder).second) continue;
            checkFile(artifacts, {c.folder + "/weights.safetensors", c.weightsSha256, c.bytes}, facts);
            checkFile(artifacts, {c.folder + "/optimizer.safetensors", c.optimizerSha256, c.bytes}, facts);
            checkFile(artifacts, {c.folder + "/state.json", c.stateSha256, c.bytes}, facts);
        }
        task.advance(++done, 2 * runs);
    }
    facts.at = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
    return facts;
}

}  // namespace heddle::ui
