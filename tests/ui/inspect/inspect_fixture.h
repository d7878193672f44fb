// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspect page on a database of two runs, with models that answer at once.
#pragma once

#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/inspect/inspect_page.h"

#include <QSettings>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <mutex>

namespace heddle::ui::test {

/// What the models were asked, by all threads.
struct Asked {
    std::mutex mutex;
    std::vector<ModelRef> opened;
    std::vector<ObservationRequest> observed;
    std::vector<EffectRequest> effects;
    std::vector<TextRequest> texts;
    std::vector<RankRequest> ranked;
    std::vector<ModelRef> lensed, labelled;
    std::atomic<bool> isRanking = false;
    std::atomic<bool> ranksForever = false;
    std::atomic<bool> cannotRank = false;
    std::atomic<bool> isMeasuring = false;  ///< by lens() or labels(), as the two below
    std::atomic<bool> measuresForever = false;
    std::atomic<bool> cannotMeasure = false;
    std::atomic<int> layersOfB = 1;
    std::atomic<bool> readsForever = false;
    std::atomic<bool> hasLogits = false;
    std::atomic<bool> hasLosses = true;  ///< the task's loss is a sum over labels

    template <class Value>
    std::vector<Value> copyOf(std::vector<Value> Asked::*list) {
        const std::lock_guard lock(mutex);
        return this->*list;
    }
};

/// Trains nothing; an intervention becomes what the engine's event becomes in the database, then it is answered.
class JournalingControl final : public RunControl {
public:
    JournalingControl(std::unique_ptr<storage::RunStore>& store, std::string file) : store_(store), file_(std::move(file)) {}

    std::string submit(const RunSpec&, const std::string&) override { return {}; }
    void resume(const std::string&) override {}
    void command(const std::string&, RunVerb, const std::string&) override {}
    void edit(const Edit& edit) override;
    void ask(const std::string& run, const Json& question, std::function<void(bool, const Json&)> callback) override;

    std::atomic<bool> refuses = false;
    std::mutex mutex;  ///< of the store, which the test uses, too

private:
    std::unique_ptr<storage::RunStore>& store_;
    std::string file_;
    std::vector<Intervention> inForce_;
};

class InspectTest : public testing::Test {
protected:
    InspectTest();
    /// Shows the page on the database and waits until it stands; `prepare` is called once the page is made.
    InspectPage& open(const std::function<void()>& prepare = {});
    bool settle();
    /// Opens models that answer at once and note in asked_ what they were asked.
    Inspector::Opener opener();
    template <class Widget>
    Widget& the() {
        return test::the<Widget>(*page_);
    }
    template <class Widget>
    Widget& named(const char* objectName) {
        return test::named<Widget>(*page_, objectName);
    }
    QAction& action(const char* objectName) { return named<QAction>(objectName); }
    void press(const char* objectName);

    static constexpr const char* kA = "aaaaaaaaaaaa";
    static constexpr const char* kB = "bbbbbbbbbbbb";

    void add(const char* id, const char* name, std::uint64_t seed, double created,
             const char* variant = R"({"preset":"eau-full"})");
    void setState(const char* run, const char* state);

    QTemporaryDir folder_;
    std::string file_;
    std::unique_ptr<storage::RunStore> store_;
    std::unique_ptr<QSettings> settings_;
    std::unique_ptr<JournalingControl> control_;
    Asked asked_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<InspectPage> page_;
};

}  // namespace heddle::ui::test
