// SPDX-License-Identifier: GPL-3.0-or-later
// The plan on Slurm: its dialog, the list of submitted sweeps and their verbs. tests/ui/studio/slurm_test.cpp has real
// submissions.
#include "engine/base/json.h"
#include "tests/ui/compose/open_page.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/noted_jobs.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/pages/slurm_dialog.h"
#include "ui/pages/slurm_jobs.h"

#include <QLineEdit>
#include <QTreeWidget>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heddle::ui::test {

using testing::ElementsAre;
using At = app::SubmittedRun::At;

/// A plan of the draft with two seeds, on a machine with sbatch.
class SlurmPlan : public OpenPage {
protected:
    SlurmPlan() {
        studio_.services().submissionsOf = [this](const QString&) { return jobs_; };
        QObject::connect(&studio_, &Studio::messageRequested, &studio_, [this](const MessageStrip::Message& message) {
            said_ << message.title + QLatin1Char('\n') + message.text;
        });
    }
    void SetUp() override {
        OpenPage::SetUp();
        actionNamed(page().runActions(), "planExperiment").trigger();
        openDatabase();
        draft().apply({"data.train.source=a.en", "data.train.target=a.de", "train.steps=200"}, text("data"));
        draft().setSeeds(text("1,2"));
        ASSERT_TRUE(settle());
    }
    QPushButton& onSlurm() { return named<QPushButton>(page(), "startOnSlurm"); }
    SlurmDialog& openDialog() {
        onSlurm().click();
        return named<SlurmDialog>(page(), "slurmDialog");
    }
    SlurmJobsDialog& openJobs() {
        named<QAction>(page(), "slurmJobs").trigger();
        return named<SlurmJobsDialog>(page(), "slurmJobsDialog");
    }
    static app::Submission gates(std::vector<app::SubmittedRun> runs) { return {"gates", true, std::move(runs)}; }
    bool hasSaid(const char* words) { return !said_.filter(text(words)).isEmpty(); }
    bool hasCalls(std::size_t number) {
        return waitUntil([&] { return jobs_->calls().size() == number; });
    }

    const SbatchOnPath sbatch_;
    std::shared_ptr<NotedJobs> jobs_ = std::make_shared<NotedJobs>();
    QStringList said_;
};

TEST_F(SlurmPlan, TheTickedRowsAreSubmittedWithWhatTheDialogSays) {
    ASSERT_TRUE(onSlurm().isEnabled()) << onSlurm().toolTip().toStdString();
    auto& dialog = openDialog();
    EXPECT_EQ(named<QLineEdit>(dialog, "slurmName").text(), text("full"));
    EXPECT_TRUE(named<QLabel>(dialog, "slurmFolder").text().contains(text("/cluster/runs.heddle.jobs")));
    auto& submit = named<QPushButton>(dialog, "slurmSubmit");
    EXPECT_EQ(submit.text(), text("Submit 2 runs"));
    named<QLineEdit>(dialog, "slurmPartition").setText(text("gpu"));
    named<QLineEdit>(dialog, "slurmLimit").setText(text("many"));
    EXPECT_FALSE(submit.isEnabled());
    named<QLineEdit>(dialog, "slurmLimit").setText(text("4"));
    named<QLineEdit>(dialog, "slurmMore").setText(text("--account=lab \"--comment=two words\""));
    named<QLineEdit>(dialog, "slurmName").setText(text("a/b"));
    EXPECT_FALSE(submit.isEnabled()) << "it is the name of a file";
    named<QLineEdit>(dialog, "slurmName").setText(text("gates"));
    ASSERT_TRUE(submit.isEnabled());
    submit.click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("The sweep gates is submitted to Slurm\nsubmitted 2 runs as job 17"); }));
    EXPECT_THAT(jobs_->calls(), ElementsAre("submit gates"));
    const auto [rows, options] = jobs_->submitted();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].name, "full");
    EXPECT_EQ(rows[0].seeds, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_THAT(rows[0].spec.at("data").at("train").at("source").get<std::string>(), testing::StartsWith("/"))
        << "jobs run in other folders";
    EXPECT_EQ(options.partition, "gpu");
    EXPECT_EQ(options.arrayLimit, 4);
    EXPECT_THAT(options.more, ElementsAre("--account=lab", "--comment=two words"));
}

TEST_F(SlurmPlan, TheDialogRemembersAndProposesANameThatIsFree) {
    jobs_->setLook({{{"full", true, {{"full, seed 1", At::Completed}}}}, {}, {}, {}, {}});
    auto& jobs = openJobs();
    ASSERT_TRUE(waitUntil([&] { return named<QTreeWidget>(jobs, "submissions").topLevelItemCount() == 1; }));
    auto& dialog = openDialog();
    EXPECT_EQ(named<QLineEdit>(dialog, "slurmName").text(), text("full-2"));
    named<QLineEdit>(dialog, "slurmName").setText(text("full"));
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmSubmit").isEnabled());
    named<QLineEdit>(dialog, "slurmName").setText(text("other"));
    named<QLineEdit>(dialog, "slurmGres").setText(text("gpu:1"));
    named<QPushButton>(dialog, "slurmSubmit").click();
    ASSERT_TRUE(hasCalls(1));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(named<QLineEdit>(openDialog(), "slurmGres").text(), text("gpu:1"));
}

TEST_F(SlurmPlan, RowsThatStartFromOthersAreForSlurmToo) {
    named<QAction>(page(), "cloneRow").trigger();
    auto& plan = page().findChild<PlanTable*>()->model();
    ASSERT_TRUE(plan.setData(plan.index(1, int(PlanColumn::Start)), text("full"), Qt::EditRole));
    ASSERT_TRUE(settle());
    EXPECT_FALSE(named<QPushButton>(page(), "startRuns").isEnabled());
    EXPECT_TRUE(onSlurm().isEnabled());
}

TEST_F(SlurmPlan, SubmittedSweepsAreListedWithTheirVerbs) {
    jobs_->setLook({{gates({{"base, seed 1", At::Running, "n1"}, {"base, seed 2", At::Queued}, {"base, seed 3", At::Lost}})},
                    {},
                    {},
                    {},
                    "Slurm does not answer"});
    auto& dialog = openJobs();
    auto& tree = named<QTreeWidget>(dialog, "submissions");
    ASSERT_TRUE(waitUntil([&] { return tree.topLevelItemCount() == 1; }));
    const auto* sweep = tree.topLevelItem(0);
    EXPECT_EQ(sweep->text(0), text("gates"));
    EXPECT_EQ(sweep->text(1), text("0 of 3 runs completed, 1 running, 1 queued, 1 failed"));
    ASSERT_EQ(sweep->childCount(), 3);
    EXPECT_EQ(sweep->child(0)->text(1), text("running"));
    EXPECT_EQ(sweep->child(0)->text(2), text("n1"));
    EXPECT_EQ(sweep->child(2)->text(1), text("lost: its job ended first"));
    EXPECT_EQ(named<QLabel>(dialog, "slurmWatchProblem").text(), text("Slurm does not answer"));
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmRemove").isEnabled()) << "jobs of it wait and run";
    named<QPushButton>(dialog, "slurmCancel").click();
    ASSERT_TRUE(hasCalls(1));
    EXPECT_TRUE(waitUntil([&] { return hasSaid("2 jobs of the sweep gates cancelled"); }));
    named<QPushButton>(dialog, "slurmAgain").click();
    ASSERT_TRUE(hasCalls(2));
    EXPECT_THAT(jobs_->calls(), ElementsAre("cancel gates", "again gates"));
    EXPECT_TRUE(waitUntil([&] { return hasSaid("submitted 1 run as job 18"); }));
    EXPECT_EQ(namelessWidgets(dialog), "");
}

TEST_F(SlurmPlan, TheEndOfASweepAndItsFailuresAreTold) {
    jobs_->setLook({{gates({{"base, seed 1", At::Completed}, {"base, seed 2", At::Ended}})}, {}, {}, {}, {}});
    auto& dialog = openJobs();
    auto& tree = named<QTreeWidget>(dialog, "submissions");
    ASSERT_TRUE(waitUntil([&] { return tree.topLevelItemCount() == 1; }));
    jobs_->setLook({{gates({{"base, seed 1", At::Completed}, {"base, seed 2", At::Lost}})},
                    {},
                    {"base, seed 2: its job ended before the run"},
                    {},
                    {}});
    named<QPushButton>(dialog, "slurmUpdate").click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("1 run on Slurm did not complete\nbase, seed 2: its job ended"); }));
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmCancel").isEnabled());
    jobs_->setLook({{gates({{"base, seed 1", At::Completed}, {"base, seed 2", At::Completed}})}, {"base, seed 2"}, {}, {}, {}});
    named<QPushButton>(dialog, "slurmUpdate").click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("The sweep gates is trained"); }));
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmAgain").isEnabled()) << "nothing is left to submit";
    named<QPushButton>(dialog, "slurmRemove").click();
    ASSERT_TRUE(hasCalls(1));
    EXPECT_THAT(jobs_->calls(), ElementsAre("remove gates"));
}

TEST_F(SlurmPlan, AStudyIsListedAndItsEndIsTold) {
    app::Submission width{"study/width", true, {{"base, seed 1", At::Failed}, {"wide, seed 1", At::Completed}}, "width", true};
    jobs_->setLook({{width}, {"wide, seed 1"}, {}, {}, {}});
    auto& dialog = openJobs();
    auto& tree = named<QTreeWidget>(dialog, "submissions");
    ASSERT_TRUE(waitUntil([&] { return tree.topLevelItemCount() == 1; }));
    EXPECT_EQ(tree.topLevelItem(0)->text(0), text("study/width"));
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmAgain").isEnabled()) << "a study does not train a failed run again";
    ASSERT_TRUE(named<QPushButton>(dialog, "slurmCancel").isEnabled()) << "looks may submit further runs";
    EXPECT_FALSE(named<QPushButton>(dialog, "slurmRemove").isEnabled());
    named<QPushButton>(dialog, "slurmCancel").click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("2 jobs of the study width cancelled"); }));
    EXPECT_THAT(jobs_->calls(), ElementsAre("cancel study/width"));
    jobs_->setLook({{}, {}, {}, {{"width", Error(ErrorCode::Failure, "1 run was not trained", "study width", "")}}, {}});
    named<QPushButton>(dialog, "slurmUpdate").click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("1 run was not trained"); }));
    EXPECT_FALSE(hasSaid("is trained"));
    jobs_->setLook({{}, {}, {}, {{"width", {}}}, {}});
    named<QPushButton>(dialog, "slurmUpdate").click();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("The study width is trained: Compare has its verdict"); }));
    EXPECT_EQ(tree.topLevelItemCount(), 0);
}

TEST_F(SlurmPlan, WithoutSbatchThePlanSaysNothingOfSlurm) {
    EXPECT_FALSE(onSlurm().isHidden());
    qputenv("PATH", "/nowhere");
    BareStudio bare;
    bare.studio.services().submissionsOf = studio_.services().submissionsOf;
    ComposePage other(bare.studio);
    EXPECT_TRUE(named<QPushButton>(other, "startOnSlurm").isHidden());
    EXPECT_FALSE(named<QAction>(other, "slurmJobs").isVisible());
}

}  // namespace heddle::ui::test
