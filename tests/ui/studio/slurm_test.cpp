// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in place of Slurm's train a plan from Compose and a study from Compare; the studio merges the runs into the open
// database and goes on watching after a restart.
#include "app/launch/slurm_folder.h"
#include "app/study/asked_study.h"
#include "engine/base/json.h"
#include "tests/fake_slurm.h"
#include "tests/ui/studio/studio_fixture.h"
#include "ui/data/slurm_watcher.h"
#include "ui/pages/slurm_dialog.h"
#include "ui/pages/slurm_jobs.h"

#include <gmock/gmock.h>
#include <QLineEdit>
#include <QTreeWidget>

#include <filesystem>
#include <fstream>

namespace heddle::studio::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A machine with programs in place of Slurm's, whose jobs do nothing: the tests train in their place.
class SlurmStudio : public StudioFixture {
protected:
    ~SlurmStudio() override { program_.reset(); }
    QWidget& compose() {
        window().showPage(PageId::Compose);
        EXPECT_TRUE(settles());
        actionNamed(dynamic_cast<ComposePage&>(page()).runActions(), "planExperiment").trigger();
        return page();
    }
    /// Submits the draft with one seed as the sweep "gates".
    void submit() {
        auto& page = dynamic_cast<ComposePage&>(compose());
        ASSERT_TRUE(waitUntil([&] { return page.draft().document().is_object(); }));
        auto& data = named<QComboBox>(page, "dataChoice");
        data.setCurrentIndex(0);
        Q_EMIT data.activated(0);
        page.draft().apply({"train.steps=30", "train.device=cpu"}, text("steps"));
        page.draft().setSeeds(text("1"));
        press("startOnSlurm");
        auto& dialog = named<SlurmDialog>(page, "slurmDialog");
        named<QLineEdit>(dialog, "slurmName").setText(text("gates"));
        named<QPushButton>(dialog, "slurmSubmit").click();
        ASSERT_TRUE(waitUntil([&] { return shownMessages().find("gates is submitted to Slurm") != std::string::npos; }))
            << shownMessages();
    }
    /// Trains the submitted runs where their jobs do.
    void trainAsJobs() {
        for (const auto& run : fs::directory_iterator(file_ + ".jobs/runs")) {
            const std::string plan = (run.path() / "plan.json").string();
            auto options = session();
            options.database = app::SlurmFolder(file_).databaseOf(run.path().filename().string());
            fs::create_directories(fs::path(options.database).parent_path());
            app::RunSession job(std::move(options));
            const auto spec = app::plannedRuns(Plan::parse(readJsonFile(plan), plan).rows, plan, "").at(0).spec;
            const std::string id = job.submit(spec);
            ASSERT_TRUE(waitUntil([&] { return job.ended(id).has_value(); }));
        }
    }
    /// Puts the study "width" of two rows and one seed into the database.
    void askStudy() {
        for (const char* name : {"a.src", "a.tgt"}) std::ofstream(folder_ / name) << "a b\n";
        Json spec = app::smallSpec("", 30).toJson();
        spec["data"]["train"] = {{"source", "a.src"}, {"target", "a.tgt"}};
        app::AskedStudy asked;
        asked.study = {
            {"schema", "heddle.study/1"},
            {"question", "Is wide better?"},
            {"rows", {{{"name", "base"}, {"spec", spec}}, {{"name", "wide"}, {"spec", spec}, {"set", {"dims.d=32"}}}}},
            {"baseline", "base"},
            {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
            {"seeds", {1, 2}}};
        asked.folder = folder_.path();
        storage::RunStore::open(file_, {"test", 0})->putItem(app::kStudyItem, "width", asked.toJson().dump());
        engine_->evaluations = [](const RunSpec& run) {
            const double base = run.variant.resolve().dims.d > 16 ? 1 : 2;
            return std::vector{EvaluationDone{30, "valid", {{"loss", base + 0.01 * double(run.seed), "ce:nats", 100}}, 0}};
        };
    }
    QString summary(const QDialog& dialog) {
        const auto* sweep = named<QTreeWidget>(dialog, "submissions").topLevelItem(0);
        return sweep ? sweep->text(0) + QStringLiteral(": ") + sweep->text(1) : QString();
    }
    SlurmJobsDialog& openJobs() {
        named<QAction>(compose(), "slurmJobs").trigger();
        return named<SlurmJobsDialog>(page(), "slurmJobsDialog");
    }

    const heddle::test::FakeSlurm slurm_{folder_ / "slurm", heddle::test::FakeSlurm::Jobs::Rest};
};

TEST_F(SlurmStudio, APlanIsSubmittedWatchedAndMergedAcrossARestart) {
    startOn(file_);
    submit();
    std::ifstream submitted(folder_ / "slurm/submitted");
    std::string words;
    std::getline(submitted, words);
    EXPECT_THAT(words, HasSubstr("--array=1 "));
    EXPECT_TRUE(waitUntil([&, &jobs = openJobs()] { return summary(jobs) == text("gates: 0 of 1 run completed, 1 queued"); }));
    program_.reset();

    trainAsJobs();
    slurm_.setState("1_1", "COMPLETED");
    startOn(file_);
    auto& jobs = openJobs();
    auto& update = named<QPushButton>(jobs, "slurmUpdate");
    ASSERT_TRUE(waitUntil([&] {
        update.click();
        return summary(jobs) == text("gates: 1 of 1 run completed");
    })) << summary(jobs).toStdString();
    EXPECT_THAT(shownMessages(), HasSubstr("The sweep gates is trained"));
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 1; }));
    EXPECT_EQ(databases().runs().front()->state, "completed");
    EXPECT_EQ(databases().runs().front()->group, "sweep/gates");
    EXPECT_TRUE(app::SlurmFolder(file_).arrays().empty()) << "nothing is open";
}

TEST_F(SlurmStudio, AStudyIsSubmittedFromCompareAndEndsAcrossARestart) {
    askStudy();
    startOn(file_);
    window().showPage(PageId::Compare);
    auto& onSlurm = named<QAction>(page(), "studyOnSlurm");
    ASSERT_TRUE(waitUntil([&] { return onSlurm.isEnabled(); })) << shownMessages();
    onSlurm.trigger();
    named<QPushButton>(named<SlurmDialog>(page(), "slurmDialog"), "slurmSubmit").click();
    ASSERT_TRUE(waitUntil([&] { return shownMessages().find("width is submitted to Slurm") != std::string::npos; }))
        << shownMessages();
    EXPECT_EQ(named<QAction>(page(), "trainStudy").text(), text("Pause study"));
    program_.reset();

    trainAsJobs();
    for (const char* task : {"1_1", "1_2", "1_3", "1_4"}) slurm_.setState(task, "COMPLETED");
    startOn(file_);
    const auto isTold = [&] {
        program_->studio().slurm().look();
        return shownMessages().find("The study width is trained") != std::string::npos;
    };
    ASSERT_TRUE(waitUntil(isTold, std::chrono::seconds(20))) << shownMessages();
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 4; }));
    for (const auto* run : databases().runs()) EXPECT_EQ(run->group, "study/width");
    EXPECT_TRUE(program_->studio().slurm().all().empty());
}

TEST_F(SlurmStudio, ASubmissionThatSlurmRefusesIsAMessage) {
    slurm_.program("sbatch", "#!/bin/bash\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
    startOn(file_);
    auto& page = dynamic_cast<ComposePage&>(compose());
    ASSERT_TRUE(waitUntil([&] { return page.draft().document().is_object(); }));
    auto& data = named<QComboBox>(page, "dataChoice");
    data.setCurrentIndex(0);
    Q_EMIT data.activated(0);
    page.draft().setSeeds(text("1"));
    press("startOnSlurm");
    named<QPushButton>(named<SlurmDialog>(page, "slurmDialog"), "slurmSubmit").click();
    EXPECT_TRUE(waitUntil([&] { return shownMessages().find("invalid partition") != std::string::npos; })) << shownMessages();
}

}  // namespace
}  // namespace heddle::studio::test
