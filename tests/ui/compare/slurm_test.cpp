// SPDX-License-Identifier: GPL-3.0-or-later
// The training of a study on Slurm from Compare. tests/ui/studio/slurm_test.cpp has a real one.
#include "app/study/asked_study.h"
#include "engine/base/json.h"
#include "engine/spec/run_spec.h"
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/noted_jobs.h"
#include "ui/data/slurm_watcher.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/question_bar.h"
#include "ui/widgets/segments.h"

#include <gmock/gmock.h>
#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>

#include <fstream>
#include <memory>

namespace heddle::ui::test {
namespace {

using testing::ElementsAre;
using At = app::SubmittedRun::At;

/// Compare with the study "width" of two rows and two seeds, of which nothing is trained, on a machine with sbatch.
class SlurmStudy : public ::testing::Test {
protected:
    SlurmStudy() {
        for (const char* file : {"a", "b"}) std::ofstream(database_.folder() + "/" + file) << "a b\n";
        Json spec = asRunDocument(presetDocument("eau-base"));
        for (const char* set : {"dims.d=16", "dims.f=32", "dims.heads=2", "dims.layers_enc=1", "dims.layers_dec=1",
                                "train.epochs=0", "train.steps=40"})
            applySet(spec, set);
        spec["data"]["train"] = {{"source", "a"}, {"target", "b"}};
        app::AskedStudy asked;
        asked.study = {
            {"schema", "heddle.study/1"},
            {"question", "Is wide better?"},
            {"rows", {{{"name", "base"}, {"spec", spec}}, {{"name", "wide"}, {"spec", spec}, {"set", {"dims.f=64"}}}}},
            {"baseline", "base"},
            {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
            {"seeds", {1, 2}}};
        asked.folder = database_.folder();
        database_.store().putItem(app::kStudyItem, "width", asked.toJson().dump());
        database_.close();
        bare_.studio.services().submissionsOf = [this](const QString&) { return jobs_; };
        QObject::connect(&bare_.studio, &Studio::messageRequested, &bare_.studio,
                         [this](const MessageStrip::Message& message) { said_ << message.title; });
        page_ = std::make_unique<ComparePage>(bare_.studio);
        page_->resize(1376, 840);
        page_->show();
        page_->setShown(true);
    }
    void SetUp() override {
        bare_.studio.open(QString::fromStdString(database_.file()));
        ASSERT_TRUE(waitUntil([&] { return train().isEnabled(); })) << said_.join(QLatin1Char('\n')).toStdString();
    }
    QAction& train() { return named<QAction>(*page_, "trainStudy"); }
    QAction& onSlurm() { return named<QAction>(*page_, "studyOnSlurm"); }
    bool hasSaid(const char* words) { return !said_.filter(text(words)).isEmpty(); }
    /// Makes looks find this of the study, and looks.
    void find(std::vector<app::SubmittedRun> runs, bool goesOn) {
        jobs_->setLook({{{"study/width", true, std::move(runs), "width", goesOn}}, {}, {}, {}, {}});
        bare_.studio.slurm().look();
    }

    const SbatchOnPath sbatch_;
    Database database_;
    BareStudio bare_;
    std::shared_ptr<NotedJobs> jobs_ = std::make_shared<NotedJobs>();
    QStringList said_;
    std::unique_ptr<ComparePage> page_;
};

TEST_F(SlurmStudy, ItsRunsAreSubmittedWithWhatTheDialogSays) {
    ASSERT_TRUE(onSlurm().isVisible() && onSlurm().isEnabled());
    onSlurm().trigger();
    auto& dialog = named<QDialog>(*page_, "slurmDialog");
    EXPECT_EQ(dialog.findChild<QLineEdit*>(text("slurmName")), nullptr) << "the study has a name";
    EXPECT_TRUE(dialog.windowTitle().contains(text("width")));
    EXPECT_TRUE(named<QLabel>(dialog, "slurmFolder").text().contains(text("/cluster/runs.heddle.jobs")));
    auto& submit = named<QPushButton>(dialog, "slurmSubmit");
    EXPECT_EQ(submit.text(), text("Submit 4 runs"));
    named<QLineEdit>(dialog, "slurmPartition").setText(text("gpu"));
    named<QLineEdit>(dialog, "slurmLimit").setText(text("none"));
    EXPECT_FALSE(submit.isEnabled());
    named<QLineEdit>(dialog, "slurmLimit").setText(text("4"));
    ASSERT_TRUE(submit.isEnabled());
    jobs_->setLook({{{"study/width", true, {{"base, seed 1", At::Queued}}, "width", true}}, {}, {}, {}, {}});
    submit.click();
    EXPECT_FALSE(onSlurm().isEnabled()) << "it is being submitted";
    ASSERT_TRUE(waitUntil([&] { return hasSaid("The study width is submitted to Slurm"); }));
    EXPECT_THAT(jobs_->calls(), ElementsAre("study width"));
    EXPECT_EQ(jobs_->submitted().second.partition, "gpu");
    EXPECT_EQ(jobs_->submitted().second.arrayLimit, 4);
    EXPECT_EQ(bare_.settings.value(text("slurm/slurmPartition")).toString(), text("gpu"));
}

TEST_F(SlurmStudy, PauseCancelsItsJobs) {
    find({{"base, seed 1", At::Running}, {"base, seed 2", At::Queued}}, true);
    ASSERT_TRUE(waitUntil([&] { return train().text() == text("Pause study"); }));
    EXPECT_TRUE(train().isEnabled());
    EXPECT_FALSE(onSlurm().isEnabled());
    train().trigger();
    ASSERT_TRUE(waitUntil([&] { return hasSaid("2 jobs of the study width cancelled"); }));
    EXPECT_THAT(jobs_->calls(), ElementsAre("cancel study/width"));
    find({{"base, seed 1", At::Ended}, {"base, seed 2", At::Ended}}, false);
    ASSERT_TRUE(waitUntil([&] { return !train().isEnabled(); }));
    EXPECT_EQ(train().text(), text("Pause study")) << "its runs are still to be merged";
    find({{"base, seed 1", At::Lost}, {"base, seed 2", At::New}}, false);
    ASSERT_TRUE(waitUntil([&] { return onSlurm().isEnabled(); }));
    EXPECT_EQ(train().text(), text("Train study"));
    EXPECT_TRUE(train().isEnabled());
}

TEST_F(SlurmStudy, AStudyBetweenTwoSubmissionsIsTrained) {
    find({{"base, seed 1", At::Completed}}, true);
    ASSERT_TRUE(waitUntil([&] { return train().text() == text("Pause study"); }));
    EXPECT_TRUE(train().isEnabled()) << "a pause keeps looks from submitting what comes next";
    EXPECT_FALSE(onSlurm().isEnabled());
}

TEST_F(SlurmStudy, JobsOfAnotherStudyDoNotConcernIt) {
    jobs_->setLook({{{"study/depth", true, {{"base, seed 1", At::Running}}, "depth", true}}, {}, {}, {}, {}});
    bare_.studio.slurm().look();
    ASSERT_TRUE(waitUntil([&] { return bare_.studio.slurm().all().size() == 1; }));
    EXPECT_EQ(train().text(), text("Train study"));
    EXPECT_TRUE(onSlurm().isEnabled());
}

TEST_F(SlurmStudy, TheSubmissionsAreListedHereToo) {
    find({{"base, seed 1", At::Running, "n1"}}, true);
    named<QAction>(*page_, "slurmJobs").trigger();
    auto& tree = named<QTreeWidget>(named<QDialog>(*page_, "slurmJobsDialog"), "submissions");
    ASSERT_TRUE(waitUntil([&] { return tree.topLevelItemCount() == 1; }));
    EXPECT_EQ(tree.topLevelItem(0)->text(0), text("study/width"));
}

TEST_F(SlurmStudy, TheBarShowsItsWholeContentsInAWindowOf1440) {
    EXPECT_TRUE(the<QuestionBar>(*page_).views().isVisible());
    const auto* more = the<QuestionBar>(*page_).findChild<QToolButton*>(text("qt_toolbar_ext_button"));
    EXPECT_TRUE(!more || !more->isVisible());
}

TEST_F(SlurmStudy, WithoutSbatchNothingIsSaidOfSlurm) {
    qputenv("PATH", "/nowhere");
    BareStudio bare;
    bare.studio.services().submissionsOf = bare_.studio.services().submissionsOf;
    ComparePage other(bare.studio);
    EXPECT_FALSE(named<QAction>(other, "studyOnSlurm").isVisible());
    EXPECT_FALSE(named<QAction>(other, "slurmJobs").isVisible());
}

}  // namespace
}  // namespace heddle::ui::test
