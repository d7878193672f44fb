// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/verify.h"

#include "engine/base/json.h"
#include "engine/base/links.h"
#include "engine/base/sha256.h"
#include "storage/run_store.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>

#include <set>

namespace heddle::ui {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Verify)
};

/// `place` is a path in the database's folder of artifacts.
void checkFile(const std::string& artifacts, const std::string& place, const std::string& expected, VerifiedFacts& facts) {
    if (expected.empty()) return;
    ++facts.files;
    const QString path = QString::fromStdString(artifacts + '/' + place);
    QString problem;
    if (const std::string link = linkProblem(artifacts, place); !link.empty())
        problem = QString::fromStdString(link);
    else if (!QFileInfo::exists(path))
        problem = Words::tr("%1 is missing").arg(path);
    else if (sha256OfFile(path.toStdString()) != expected)
        problem = Words::tr("%1 is not what was written").arg(path);
    if (problem.isEmpty()) return;
    ++facts.wrongFiles;
    facts.problems << problem;
}

}  // namespace

std::optional<VerifiedFacts> verify(const QString& file, VerifyJob& job) {
    VerifiedFacts facts;
    const auto result = storage::verifyDatabase(file.toStdString(), [&](std::int64_t done, std::int64_t total) {
        job.total = int(2 * total);  // the records of each run, then its checkpoint files
        job.done = int(done);
        return !job.cancelled;
    });
    if (result.cancelled) return std::nullopt;
    facts.records = result.records;
    facts.damaged = result.damaged;
    for (const auto& problem : result.problems) facts.problems << QString::fromStdString(problem);
    const auto query = storage::RunQuery::open(file.toStdString());
    const std::string artifacts = storage::artifactFolder(file.toStdString());
    for (const auto& run : query->runs()) {
        if (job.cancelled) return std::nullopt;
        std::set<std::string> seen;  // best and last may be the same folder
        for (const auto& c : query->checkpoints(run.id)) {
            if (!seen.insert(c.folder).second) continue;
            checkFile(artifacts, c.folder + "/weights.safetensors", c.weightsSha256, facts);
            checkFile(artifacts, c.folder + "/optimizer.safetensors", c.optimizerSha256, facts);
            checkFile(artifacts, c.folder + "/state.json", c.stateSha256, facts);
        }
        ++job.done;
    }
    facts.at = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
    return facts;
}

}  // namespace heddle::ui
