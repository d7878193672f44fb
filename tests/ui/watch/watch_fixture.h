// SPDX-License-Identifier: GPL-3.0-or-later
// A small run database in a temporary folder, and the page on it.
#pragma once

#include "storage/run_store.h"
#include "tests/ui/support/noting_control.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/theme/theme.h"

#include <QSettings>
#include <QTemporaryDir>

#include <gmock/gmock.h>

namespace heddle::ui::test {

inline const std::string kRun = "aaaaaaaaaaaa", kOther = "bbbbbbbbbbbb";

/// A gate's histogram of 64 equal bins.
storage::HistogramRecord gateOf(const std::string& run, std::int64_t step,
                                const std::string& path = "encoder.layers.0.self.residual");

/// Notes all but edits that are about no run.
class FakeControl : public NotingControl {
public:
    std::string submit(const RunSpec& spec, const std::string&) override {
        note("submit " + spec.name);
        return kOther;
    }
    void resume(const std::string& run) override { note("resume " + run); }
    void command(const std::string& run, RunVerb verb, const std::string&) override {
        note("verb " + std::to_string(int(verb)) + ' ' + run);
    }
    void edit(const Edit& edit) override {
        const auto [verb, run, body] = storedRequest(edit);
        if (!run.empty()) note(verb + ' ' + run + ' ' + body);
    }
};

class WatchTest : public testing::Test {
protected:
    WatchTest();

    struct Made {
        std::string id = kRun, name = "eau-full", state = "running", hash = "h1";
        std::int64_t steps = 400;
        double created = 1000;
        bool snapshots = true;
    };
    /// A run with curves, evaluations every 100 steps and, if asked for, maps, gates, shares near zero and samples.
    void add(const Made& made);
    /// Rows of a series from `first` on, value(step).
    void append(const std::string& run, const std::string& series, std::int64_t first, std::int64_t last, double scale,
                std::int64_t attempt = 1);
    std::unique_ptr<storage::RunQuery> query() { return storage::RunQuery::open(file_); }
    /// Shows the page on the database and waits until it stands.
    WatchPage& open();
    bool settle();

    QTemporaryDir folder_;
    std::string file_;
    std::unique_ptr<storage::RunStore> store_;
    FakeControl control_;
    std::unique_ptr<QSettings> settings_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<WatchPage> page_;

private:
    void addSnapshots(const Made& made);
};

}  // namespace heddle::ui::test
