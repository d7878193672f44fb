// SPDX-License-Identifier: GPL-3.0-or-later
// One session by clicks and keys with the real engine: a question as a plan, its runs, the verdict, more seeds, the report.
#include "app/session/process/engine_loader.h"
#include "app/study/report.h"
#include "app/study/verdict_words.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "tests/ui/studio/tour_fixture.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/note_list.h"
#include "ui/pages/compare/verdict_panel.h"

#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

#include <gmock/gmock.h>

#include <algorithm>

namespace heddle::studio::test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string written(const std::string& file) {
    QFile open(QString::fromStdString(file));
    return open.open(QIODevice::ReadOnly) ? open.readAll().toStdString() : "";
}

/// Replaces ligatures by the letters that they stand for and joins the lines.
std::string plain(const QString& words) { return words.simplified().normalized(QString::NormalizationForm_KC).toStdString(); }

/// Returns the text of a PDF as one line. Needs pdftotext; returns nothing without it.
std::string textOfPdf(const std::string& file) {
    QProcess reader;
    reader.start(text("pdftotext"), {QString::fromStdString(file), text("-")});
    return reader.waitForFinished() ? plain(QString::fromUtf8(reader.readAll())) : "";
}

/// The words of a PDF have the size of print and lie within its pages. Needs pdftotext.
void expectReadable(const std::string& file) {
    QProcess reader;
    reader.start(text("pdftotext"), {text("-bbox"), QString::fromStdString(file), text("-")});
    ASSERT_TRUE(reader.waitForFinished());
    static const QRegularExpression kWord(
        text("<word xMin=\"([\\d.]+)\" yMin=\"([\\d.]+)\" xMax=\"([\\d.]+)\" yMax=\"([\\d.]+)\">"
             "([^<]*)<"));
    int words = 0;
    for (const auto& found : kWord.globalMatch(QString::fromUtf8(reader.readAll()))) {
        const double height = found.captured(4).toDouble() - found.captured(2).toDouble();  // points
        EXPECT_GT(height, 6) << found.captured(5).toStdString();
        EXPECT_LT(height, 40) << found.captured(5).toStdString();
        EXPECT_GT(found.captured(1).toDouble(), 40) << found.captured(5).toStdString();
        EXPECT_LT(found.captured(3).toDouble(), 595 - 40) << found.captured(5).toStdString();
        ++words;
    }
    EXPECT_GT(words, 100);
}

/// Reads a study from its file and the database, as the command line and the report do.
app::StudyReport reportOf(const std::string& study, const std::string& database) {
    const auto query = storage::RunQuery::open(database);
    app::StudyRuns runs(Study::parse(readJsonFile(study), study), study, "");
    runs.refresh(*query, database);
    return app::studyReport(runs, runs.toldVerdict(*query), *query);
}

/// The panel says what the command line says.
void expectSame(const QWidget& panel, const app::StudyReport& told) {
    ASSERT_EQ(told.verdict.rows.size(), 1U);
    const RowVerdict& row = told.verdict.rows.front();
    ASSERT_TRUE(row.isLookedAt && row.difference.interval && row.correctedP);
    EXPECT_EQ(row.difference.n, 3U);
    EXPECT_EQ(named<QLabel>(panel, "verdict").text().toLower().toStdString(), nameOf(row.verdict));
    const std::string numbers = named<QLabel>(panel, "verdictNumbers").text().toStdString();
    for (const double value : {row.difference.difference, row.difference.interval->low, row.difference.interval->high})
        EXPECT_THAT(numbers, HasSubstr(signedNumberText(value)));
    EXPECT_THAT(numbers, HasSubstr(app::pText(*row.correctedP)));
    EXPECT_THAT(named<QLabel>(panel, "limits").text().toStdString(), HasSubstr(app::coverWords(told.study).substr(1)));
}

/// The files of a report have the sentence of the verdict.
void expectWritten(const std::string& folder, const app::StudyReport& told) {
    const RowVerdict& row = told.verdict.rows.front();
    EXPECT_EQ(row.difference.n, 3U) << "the fourth pair came after the question";
    EXPECT_FALSE(told.verdict.unasked.empty()) << "and is told";
    const std::string sentence = app::rowSentence(told.study, told.verdict, row);
    EXPECT_THAT(written(folder + "/report.html"), HasSubstr(QString::fromStdString(sentence).toHtmlEscaped().toStdString()));
    EXPECT_THAT(written(folder + "/report.pdf"), ::testing::StartsWith("%PDF"));
    if (!QStandardPaths::findExecutable(text("pdftotext")).isEmpty()) {
        EXPECT_THAT(textOfPdf(folder + "/report.pdf"), HasSubstr(plain(QString::fromStdString(sentence))));
        expectReadable(folder + "/report.pdf");
    }
}

}  // namespace

TEST_F(Tour, FromAQuestionToItsReport) {
    if (const auto report = app::inspectEngine(); !report.problem.empty()) GTEST_SKIP() << report.problem;
    const std::string database = folder_ / "question.heddle", studyFile = folder_ / "gates.json", folder = folder_ / "report";
    startOn(database);
    const auto runsIn = [&](const char* state) {
        const auto runs = databases().runs();
        return std::count_if(runs.begin(), runs.end(), [&](const auto* run) { return run->state == state; });
    };

    showPage(Qt::Key_1, PageId::Compose);
    writePlan();
    clickAction("askStudy");
    QPushButton* save = nullptr;
    ASSERT_TRUE(
        waitUntil([&] { return (save = window().findChild<QPushButton*>(QStringLiteral("saveStudy"))) && save->isVisible(); }));
    station("study dialog");
    QTest::mouseClick(save, Qt::LeftButton);
    answerFileDialog(studyFile);
    ASSERT_TRUE(waitUntil([&] { return storage::RunQuery::open(database)->items(app::kStudyItem).size() == 1; }, 30s))
        << shownMessages();
    ASSERT_TRUE(settles());
    station("question");

    press("startRuns");
    ASSERT_TRUE(waitUntil([&] { return window().shownPage()->id() == PageId::Watch; }, 30s)) << shownMessages();
    ASSERT_TRUE(waitUntil([&] { return runsIn("running") > 0; }, 60s)) << shownMessages();
    station("training");
    ASSERT_TRUE(waitUntil([&] { return runsIn("completed") == 6; }, 90s)) << shownMessages();

    showPage(Qt::Key_4, PageId::Compare);
    auto& comparer = *page().findChild<StudyComparer*>();
    auto& verdict = the<VerdictPanel>();
    const auto isAnswered = [&] {
        const auto* group = comparer.comparison()->group(verdict.group());
        return comparer.comparison()->isAsked && group && group->verdict && group->verdict->isLookedAt;
    };
    ASSERT_TRUE(waitUntil(isAnswered, 30s)) << "it opens on the study";
    ASSERT_TRUE(settles());
    expectSame(verdict, reportOf(studyFile, database));
    ASSERT_TRUE(waitUntil([&] { return !named<NoteList>(verdict, "fairness").notes().empty(); }));
    station("verdict");

    auto& addSeeds = named<QPushButton>(verdict, "addSeeds");
    EXPECT_FALSE(addSeeds.isEnabled()) << "the question named its seeds";
    auto& study = named<QComboBox>(page(), "study");
    QTest::keyClick(&study, Qt::Key_Up);  // the groups of the page: another pair, after the verdict
    ASSERT_TRUE(waitUntil([&] { return !comparer.comparison()->isAsked && addSeeds.isEnabled(); }));
    ASSERT_TRUE(settles());
    EXPECT_THAT(verdict.nextSeeds(), ElementsAre(4));
    press("addSeeds");
    ASSERT_TRUE(waitUntil([&] { return window().shownPage()->id() == PageId::Compose; }));
    ASSERT_TRUE(settles());
    press("startRuns");
    ASSERT_TRUE(waitUntil([&] { return runsIn("completed") == 8; }, 60s)) << shownMessages();
    showPage(Qt::Key_4, PageId::Compare);
    const auto* group = comparer.comparison()->group(verdict.group());
    ASSERT_TRUE(
        waitUntil([&] { return (group = comparer.comparison()->group(verdict.group())) && group->values.size() == 4; }));

    QTest::keyClick(&study, Qt::Key_Down);
    ASSERT_TRUE(waitUntil(isAnswered));
    ASSERT_TRUE(settles());
    command("report");
    ASSERT_TRUE(waitUntil([&] { return window().findChild<QFileDialog*>() != nullptr; }));
    station("report");
    answerFileDialog(folder);
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(QString::fromStdString(folder + "/report.pdf")); }, 30s))
        << shownMessages();
    EXPECT_TRUE(waitUntil([&] { return button(window().messages(), "openReport") != nullptr; }));
    expectWritten(folder, reportOf(studyFile, database));
    keep(folder + "/report.pdf");
}

}  // namespace heddle::studio::test
