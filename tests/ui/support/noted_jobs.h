// SPDX-License-Identifier: GPL-3.0-or-later
// Submissions to Slurm that only the test moves.
#pragma once

#include "app/study/submissions.h"
#include "tests/ui/support/offscreen.h"

#include <gtest/gtest.h>
#include <QFile>
#include <QTemporaryDir>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heddle::ui::test {

class NotedJobs final : public app::Submissions {
public:
    std::string folder() const override { return "/cluster/runs.heddle.jobs"; }
    std::vector<std::string> submit(const std::string& name, const std::vector<PlanRow>& rows,
                                    const app::SlurmOptions& options) override {
        note("submit " + name);
        const std::lock_guard lock(mutex_);
        submitted_ = {rows, options};
        return {"submitted 2 runs as job 17"};
    }
    std::vector<std::string> submitStudy(const std::string& key, const app::SlurmOptions& options) override {
        note("study " + key);
        const std::lock_guard lock(mutex_);
        submitted_ = {{}, options};
        return {"submitted 6 runs as job 17"};
    }
    std::vector<std::string> submitAgain(const std::string& name) override {
        note("again " + name);
        return {"submitted 1 run as job 18"};
    }
    /// Each look ends the studies of what was set once.
    app::SubmissionsLook look() override {
        const std::lock_guard lock(mutex_);
        app::SubmissionsLook look = look_;
        look_.ended.clear();
        return look;
    }
    std::size_t cancel(const std::string& name) override {
        note("cancel " + name);
        return 2;
    }
    void remove(const std::string& name) override { note("remove " + name); }

    void setLook(app::SubmissionsLook look) {
        const std::lock_guard lock(mutex_);
        look_ = std::move(look);
    }
    std::vector<std::string> calls() {
        const std::lock_guard lock(mutex_);
        return calls_;
    }
    std::pair<std::vector<PlanRow>, app::SlurmOptions> submitted() {
        const std::lock_guard lock(mutex_);
        return submitted_;
    }

private:
    void note(const std::string& call) {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
    }

    std::mutex mutex_;
    std::vector<std::string> calls_;
    std::pair<std::vector<PlanRow>, app::SlurmOptions> submitted_;
    app::SubmissionsLook look_;
};

/// While it lives, sbatch is on the PATH.
class SbatchOnPath {
public:
    SbatchOnPath() {
        QFile sbatch(folder_.filePath(text("sbatch")));
        EXPECT_TRUE(sbatch.open(QIODevice::WriteOnly));
        sbatch.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("PATH", folder_.path().toLocal8Bit() + ':' + path_);
    }
    ~SbatchOnPath() { qputenv("PATH", path_); }
    SbatchOnPath(const SbatchOnPath&) = delete;
    SbatchOnPath& operator=(const SbatchOnPath&) = delete;

private:
    const QByteArray path_ = qgetenv("PATH");
    QTemporaryDir folder_;
};

}  // namespace heddle::ui::test
