// SPDX-License-Identifier: Apache-2.0
// `heddle runs import` of other programs' files, in-process. The files of TensorBoard and Trackio were written by them, and
// what they hold was told by their own readers (tests/oracle/foreign_oracle.py).
#include "engine/base/files.h"
#include "engine/base/temporary_folder.h"
#include "engine/spec/foreign_spec.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "tests/unit/app/command.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kCases = HEDDLE_SOURCE_DIR "/tests/unit/app/foreign/cases";

using Points = std::vector<std::pair<std::int64_t, double>>;

class ImportRuns : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = folder_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    CommandResult import(const std::string& file, std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"runs", "import", file});
        return runOn(database_, std::move(options));
    }
    CommandResult on(std::vector<std::string> words) const { return runOn(database_, std::move(words)); }
    storage::RunRecord run(const std::string& name) const {
        const auto found = storage::RunQuery::open(database_)->matching(name);
        EXPECT_EQ(found.size(), 1U) << name;
        return found.empty() ? storage::RunRecord{} : found.front();
    }
    Points evaluations(const std::string& name, const std::string& split, const std::string& metric) const {
        Points points;
        for (const auto& e : storage::RunQuery::open(database_)->evaluations(run(name).id))
            if (e.split == split && e.metric == metric) points.emplace_back(e.step, e.value);
        return points;
    }
    Points curve(const std::string& name, const std::string& series) const {
        Points points;
        const auto query = storage::RunQuery::open(database_);
        for (const auto& p : query->points(run(name).id, series, "", 0, std::numeric_limits<std::int64_t>::max()))
            points.emplace_back(p.step, p.value);
        return points;
    }
    /// Refused with the code, saying `where` and `what`; no database is made.
    void expectRefused(const std::string& text, const std::string& said, std::vector<std::string> options = {}) const {
        const auto result = import(write("bad.txt", text), std::move(options));
        EXPECT_THAT(result.code, testing::AnyOf(2, 3)) << result.err;
        EXPECT_THAT(result.err, HasSubstr(said));
        EXPECT_FALSE(std::filesystem::exists(database_)) << text.substr(0, 80);
    }

    TemporaryFolder folder_;
    const std::string database_ = folder_ / "t.heddle";
};

const std::string kTable =
    "run,seed,group,step,lr,val_loss,train_loss,note\n"
    "\"a, \"\"x\"\"\",1,base,0,1e-3,3.5,,=1+1\n"
    "\"a, \"\"x\"\"\",1,base,10,0.001,3.25,3.75,x\n"
    "mu,2,base,0,0.001,nan,4,\n"
    "mu,2,base,20,0.001,3.125,3.5,y\n"
    "nu,1,other,20,0.002,3,,y\n";

TEST_F(ImportRuns, ADatabaseInUseIsNamedWithItsOwnerAndWhatToDo) {
    const std::string table = write("table.csv", kTable);
    {
        const auto owner = storage::RunStore::open(database_, {"heddle-studio", 0});
        const auto result = import(table);
        EXPECT_NE(result.code, 0);
        EXPECT_THAT(result.err, AllOf(HasSubstr("in use by heddle-studio, pid "), HasSubstr("Library, Import runs…"),
                                      HasSubstr("Nothing was imported")));
    }
    EXPECT_EQ(import(table).code, 0) << "it is imported once the owner has ended";
}

TEST_F(ImportRuns, ReadsATableWithQuotesGapsAndSettings) {
    const auto result = import(write("table.csv", kTable), {"--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.json().at("runs").size(), 3U);
    EXPECT_EQ(result.json().at("columns"), (Json{{"run", "run"},
                                                 {"seed", "seed"},
                                                 {"group", "group"},
                                                 {"step", "step"},
                                                 {"lr", "setting"},
                                                 {"val_loss", "valid loss"},
                                                 {"train_loss", "curve loss"}}));
    EXPECT_THAT(result.json().at("notes").dump(), HasSubstr("note")) << "text that changes is left out, and said";
    const auto a = run("a, \"x\"");
    EXPECT_EQ(a.state, "completed");
    EXPECT_EQ(a.seed, 1U);
    EXPECT_EQ(a.step, 10);
    EXPECT_THAT(a.tags, ElementsAre(storage::kForeignTag));
    const auto spec = foreignSpec(a.spec);
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->config, (Json{{"lr", 0.001}}));
    EXPECT_EQ(spec->group, "base");
    EXPECT_EQ(spec->file, "table.csv");
    EXPECT_EQ(spec->run, "a, \"x\"");
    EXPECT_FALSE(spec->paired);
    EXPECT_EQ(evaluations("a, \"x\"", "valid", "loss"), (Points{{0, 3.5}, {10, 3.25}}));
    EXPECT_EQ(curve("a, \"x\"", "loss"), (Points{{10, 3.75}}));
    const auto diverged = evaluations("mu", "valid", "loss");
    ASSERT_EQ(diverged.size(), 2U);
    EXPECT_TRUE(std::isnan(diverged[0].second)) << "a run that diverged is data";
    const auto all = storage::RunQuery::open(database_)->evaluations(a.id);
    EXPECT_EQ(all.front().signature, "foreign: val_loss");
    EXPECT_EQ(all.front().n, 0);
}

TEST_F(ImportRuns, ComparesByDeclaredGroupAndNeverWithOwnRuns) {
    ASSERT_EQ(import(write("table.csv", kTable)).code, 0);
    const auto listed = on({"runs", "list"});
    EXPECT_THAT(listed.out, HasSubstr("completed, foreign"));
    const auto compared = on({"compare", "a, \"x\"", "mu", "nu", "--json"}).json();
    ASSERT_EQ(compared.at("groups").size(), 2U);
    EXPECT_EQ(compared.at("groups")[0].at("runs").size(), 2U);
    EXPECT_THAT(compared.at("groups")[0].at("group").get<std::string>(), testing::StartsWith("foreign "));
    EXPECT_THAT(compared.at("spec_differences").dump(), HasSubstr("config.lr"));
    EXPECT_THAT(on({"compare", "a, \"x\"", "nu"}).out, AllOf(HasSubstr("config.lr"), HasSubstr("foreign: val_loss")));
    EXPECT_THAT(on({"runs", "show", "mu"}).out, AllOf(HasSubstr("imported from table.csv"), HasSubstr("config.lr")));
}

TEST_F(ImportRuns, HasNoWeightsAndSaysSo) {
    ASSERT_EQ(import(write("table.csv", kTable)).code, 0);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"resume", "mu"},
                                                                                       {"resume", "mu", "--steps", "99"},
                                                                                       {"fork", "mu"},
                                                                                       {"evaluate", "--run", "mu"},
                                                                                       {"inspect", "mu"},
                                                                                       {"translate", "--run", "mu", "x"},
                                                                                       {"train", "--from", "mu", "eau-base"}}) {
        const auto result = on(words);
        EXPECT_NE(result.code, 0);
        EXPECT_THAT(result.err, HasSubstr("imported from table.csv; it has no weights")) << words[0];
    }
}

TEST_F(ImportRuns, RefusesAFileThatItHas) {
    const std::string file = write("table.csv", kTable);
    ASSERT_EQ(import(file).code, 0);
    const auto again = import(file);
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, AllOf(HasSubstr("already imported: 3 of its runs"), HasSubstr("heddle runs delete")));
    EXPECT_EQ(storage::RunQuery::open(database_)->runs().size(), 3U);
}

TEST_F(ImportRuns, KeepsItsRunsThroughExportAndImport) {
    ASSERT_EQ(import(write("table.csv", kTable)).code, 0);
    const std::string other = folder_ / "other.heddle";
    ASSERT_EQ(on({"runs", "export", other}).code, 0);
    EXPECT_EQ(storage::RunQuery::open(other)->runs().size(), 3U);
    EXPECT_EQ(runOn(folder_ / "third.heddle", {"runs", "import", other}).code, 0);
}

TEST_F(ImportRuns, NumbersRunsOfUnknownSeedsSoThatAllCount) {
    const std::string text = "log\tstep\tval_loss\nx\t1\t3\ny\t1\t4\n";
    ASSERT_EQ(import(write("one.tsv", text), {"--run", "log", "--group", "soap"}).code, 0);
    ASSERT_EQ(import(write("two.tsv", "log\tstep\tval_loss\nz\t1\t5\n"), {"--run", "log", "--group", "soap"}).code, 0);
    EXPECT_FALSE(foreignSpec(run("x").spec)->seed);
    const auto compared = on({"compare", "x", "y", "z", "--json"}).json();
    ASSERT_EQ(compared.at("groups").size(), 1U) << "the group was declared for both files";
    EXPECT_EQ(compared.at("groups")[0].at("counted").size(), 3U);
    EXPECT_EQ(import(write("three.tsv", text + "w\t1\t6\n"), {"--run", "log", "--paired"}).code, 2) << "pairs need seeds";
}

TEST_F(ImportRuns, CountsRunsOfUnknownSeedsBesideLaterOnesOfKnownSeeds) {
    const std::string seedless = "run,step,val_loss\nx,1,3\ny,1,4\n", named = "run,seed,step,val_loss\nu,1,1,5\nv,2,1,6\n";
    ASSERT_EQ(import(write("seedless.csv", seedless), {"--group", "soap"}).code, 0);
    ASSERT_EQ(import(write("named.csv", named), {"--group", "soap"}).code, 0);
    const auto compared = on({"compare", "x", "y", "u", "v", "--json"}).json();
    ASSERT_EQ(compared.at("groups").size(), 1U);
    EXPECT_EQ(compared.at("groups")[0].at("counted").size(), 4U);
    EXPECT_GT(run("x").seed, std::uint64_t{1} << 53) << "no file can name it";
    EXPECT_THAT(on({"runs", "list"}).out, Not(HasSubstr(std::to_string(run("x").seed)))) << "it means nothing to anybody";
}

TEST_F(ImportRuns, TakesALogOfSeveralSeedsApartWhereTheUserSaysSo) {
    const std::string text = "run,step,val_loss\nlog,0,4\nlog,5,3\nlog,0,4.5\nlog,5,3.5\n";
    expectRefused(text, "line 4, column val_loss");
    ASSERT_EQ(import(write("log.csv", text), {"--restarts"}).code, 0);
    EXPECT_EQ(evaluations("log", "valid", "loss"), (Points{{0, 4}, {5, 3}}));
    EXPECT_EQ(evaluations("log #2", "valid", "loss"), (Points{{0, 4.5}, {5, 3.5}}));
}

TEST_F(ImportRuns, TakesATableOfResultsWithoutSteps) {
    const std::string text = "variant,seed,test_bleu,wer\nbase,1,30.5,9\nbase,2,31,8\n";
    ASSERT_EQ(import(write("final.csv", text), {"--metric", "wer=newstest:wer"}).code, 0);
    EXPECT_EQ(evaluations("base/2", "test", "bleu"), (Points{{0, 31}}));
    EXPECT_EQ(evaluations("base/2", "newstest", "wer"), (Points{{0, 8}}));
}

TEST_F(ImportRuns, GivesARowOfAStudyByItsGroupAndPairsNobodyUndeclared) {
    const std::string text =
        "run,group,seed,step,val_loss\n"
        "x,soap,1,9,1\ny,soap,2,9,2\nz,soap,3,9,2.5\nu,muon,1,9,3\nv,muon,2,9,4\nw,muon,3,9,5.5\n";
    ASSERT_EQ(import(write("table.csv", text)).code, 0);
    Json study{{"schema", "heddle.study/1"},
               {"question", "soap?"},
               {"baseline", "muon"},
               {"rows", {{{"name", "muon"}, {"runs", {{"group", "muon"}}}}, {{"name", "soap"}, {"runs", {{"group", "soap"}}}}}},
               {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
               {"test", "paired"}};
    const auto verdict = [&] { return on({"study", write("study.json", study.dump()), "--verdict", "--json"}); };
    const auto refused = verdict();
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(refused.err, HasSubstr("not declared as pairs"));
    study["test"] = "welch";
    const auto told = verdict();
    ASSERT_EQ(told.code, 0) << told.err;
    EXPECT_EQ(told.json().at("rows").at(0).at("n"), 3);
    EXPECT_NEAR(told.json().at("rows").at(0).at("p").get<double>(), 0.06390598320048116, 1e-9) << "scipy.stats.ttest_ind";
}

TEST_F(ImportRuns, ReadsJsonLinesWithNestedSettingsAndPythonsNaN) {
    const std::string text =
        "{\"run\":\"om\",\"config\":{\"lr\":0.5,\"seed\":3,\"note\":\"NaN, \\\"quoted\\\"\"}}\n"
        "{\"run\":\"om\",\"_step\":0,\"loss\":NaN,\"eval/loss\":2.5,\"_runtime\":1}\n\n"
        "{\"run\":\"om\",\"_step\":5,\"loss\":1.5,\"eval/loss\":null,\"x\":{\"y\":2}}\n";
    ASSERT_EQ(import(write("log.jsonl", text)).code, 0);
    const auto spec = foreignSpec(run("om").spec);
    EXPECT_EQ(spec->config, (Json{{"lr", 0.5}, {"note", "NaN, \"quoted\""}}));
    EXPECT_EQ(spec->seed, 3U);
    EXPECT_EQ(evaluations("om", "valid", "loss"), (Points{{0, 2.5}}));
    EXPECT_EQ(curve("om", "x.y"), (Points{{5, 2}}));
    EXPECT_TRUE(std::isnan(curve("om", "loss").front().second));
}

TEST_F(ImportRuns, LeavesOutListsThatAreNoSettingsAndSaysSo) {
    const std::string text =
        "{\"run\":\"om\",\"config\":{\"betas\":[0.5,0.75]}}\n"
        "{\"run\":\"om\",\"step\":5,\"eval/loss\":1.5,\"weights\":{\"histogram\":[1,2,3]}}\n";
    const auto result = import(write("log.jsonl", text), {"--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.json().at("notes").dump(), HasSubstr("no numbers: weights.histogram"));
    EXPECT_FALSE(result.json().at("columns").contains("weights.histogram"));
    EXPECT_EQ(foreignSpec(run("om").spec)->config, (Json{{"betas", {0.5, 0.75}}}));
}

TEST_F(ImportRuns, RefusesARunOfTrackioWhoseNameIsNoText) {
    const std::string file = folder_ / "study.db";
    SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);"
            "INSERT INTO metrics VALUES (7, '', CAST(X'61FF' AS TEXT), 1, '{\"val_loss\":1}');");
    const auto result = import(file);
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, AllOf(HasSubstr("is not valid UTF-8"), HasSubstr("study.db, metrics, row 7")));
    EXPECT_FALSE(std::filesystem::exists(database_));
}

TEST_F(ImportRuns, RefusesSettingsThatNoDatabaseTakes) {
    std::string note;
    for (int line = 0; line < 17; ++line) note += std::string(1 << 20, 'x') + '\n';
    expectRefused("run,step,val_loss,note\na,1,3,\"" + note + "\"\n", "--ignore COLUMN");
    EXPECT_EQ(import(folder_ / "bad.txt", {"--ignore", "note"}).code, 0);
}

TEST_F(ImportRuns, ReadsWhatTensorBoardReads) {
    const Json expected = readJsonFile(kCases + "/expected.json");
    const auto result = import(kCases + "/board", {"--group", "soap", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.json().at("notes").dump(), AllOf(HasSubstr("note/text_summary"), HasSubstr("several")));
    EXPECT_EQ(evaluations("simple", "valid", "loss"), expected.at("simple").at("eval/loss").get<Points>());
    EXPECT_EQ(curve("simple", "loss"), expected.at("simple").at("train/loss").get<Points>());
    for (const auto& [tag, points] : expected.at("tensors").items()) {
        const auto read = curve("tensors", tag);
        ASSERT_EQ(read.size(), points.size()) << tag;
        for (std::size_t i = 0; i < read.size(); ++i)
            EXPECT_EQ(static_cast<float>(read[i].second), points[i][1].get<float>()) << tag << ", stored as float";
    }
    EXPECT_EQ(run("simple").created, 1.7e9);
    EXPECT_EQ(run("simple").seconds, 40);
    EXPECT_EQ(foreignSpec(run("simple").spec)->group, "soap");
}

TEST_F(ImportRuns, ReadsWhatTrackioReads) {
    const Json expected = readJsonFile(kCases + "/expected.json");
    const std::string file = folder_ / "study.db";
    SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(readWholeFile(kCases + "/trackio.sql"));
    const auto result = import(file, {"--paired"});
    ASSERT_EQ(result.code, 0) << result.err;
    for (const auto& [name, points] : expected.at("trackio").items())
        EXPECT_EQ(evaluations(name, "valid", "loss"), points.get<Points>());
    EXPECT_EQ(curve("base-s1", "loss").size(), 4U);
    const auto spec = foreignSpec(run("base-s2").spec);
    EXPECT_EQ(spec->config, (Json{{"lr", 0.1}, {"optimizer.name", "adam"}}));
    EXPECT_EQ(spec->group, "base");
    EXPECT_EQ(spec->seed, 2U);
    EXPECT_TRUE(spec->paired);
}

TEST_F(ImportRuns, RefusesWhatItCannotReadWithLineAndColumn) {
    const std::string head = "run,step,val_loss\n";
    expectRefused(head + "a,1,3\na,2,=1+1\n", "line 3, column val_loss");
    expectRefused(head + "a,1.5,3\n", "line 2, column step");
    expectRefused(head + "a,-1,3\n", "line 2, column step");
    expectRefused(head + "a,nan,3\n", "line 2, column step");
    expectRefused(head + "a,9223372036854775808,3\n", "line 2, column step");
    expectRefused(head + "a,1,3\na,1,3\n", "has step 1 twice");
    expectRefused(head + "a,1\n", "line 2");
    expectRefused(head + "a,1,\"3\n", "unclosed quotation mark");
    expectRefused(head + "a,1,\"3\"x\n", "line 2, column 8");
    expectRefused(head + ",1,3\n", "line 2, column run");
    expectRefused(head + "a,1,1e999\n", "line 2, column val_loss");
    expectRefused(head + "a,1,\xff\n", "line 2, column 5");
    expectRefused(head + std::string(10'000'000, 'x') + ",1,3\n", "10000000 characters");
    expectRefused(head + "a,1,3" + std::string(10'000, ',') + "\n", "has more than 10000 cells");
    expectRefused("run,run\na,b\n", "duplicate column \"run\"");
    expectRefused(head, "no rows in the table");
    expectRefused("", "empty");
    expectRefused(std::string("\0\1\2\3", 4), "unsupported file type");
    expectRefused("run,seed,step,val_loss\na,-3,1,2\n", "seed");
    expectRefused("run,seed,step,val_loss\na,3,1,2\na,4,2,2\n", "several values");
    expectRefused("run,state,step,val_loss\na,lost,1,2\n", "not a final state of a run");
    expectRefused("run,step,val_loss,valid/loss\na,1,2,2\n", "both map to valid loss");
    expectRefused("{\"run\":\"a\"\n", "line 1");
    expectRefused("{\"run\":\"a\"}\n[]\n", "line 2");
    expectRefused("{\"run\":\"a\",\"x\":" + std::string(100'000, '['), "line 1");
    expectRefused("{\"run\":\"a\",\"step\":1,\"val_loss\":\"high\"}\n", "line 1, column val_loss");
    expectRefused(head + "a,1,3\n", "--seed", {"--seed", "sed"});
    expectRefused(head + "a,1,3\n", "--metric", {"--metric", "val_loss"});
    expectRefused(head + "a,1,3\n", "only from a run database", {"3f2a"});
}

TEST_F(ImportRuns, RefusesDamagedEvents) {
    const std::string events = readWholeFile(kCases + "/board/simple/events.out.tfevents.1");
    const auto refused = [&](const std::string& bytes, const std::string& said) {
        const auto result = import(write("events.out.tfevents.9", bytes));
        EXPECT_EQ(result.code, 3);
        EXPECT_THAT(result.err, AllOf(HasSubstr("tfevents.9, record "), HasSubstr(said)));
        EXPECT_FALSE(std::filesystem::exists(database_));
    };
    refused(events.substr(0, events.size() - 3), "ends within a record");
    refused(events.substr(0, 5), "ends within a record");
    std::string changed = events;
    changed[events.size() - 6] ^= 1;
    refused(changed, "wrong checksum of a record");
    changed = events;
    changed[7] = '\x80';  // a length of 2^63
    refused(changed, "wrong checksum of the length of a record");
    // With the checksum that Python's google_crc32c gives for it.
    refused(std::string("\0\0\0\0\0\0\0\x80", 8) + "\x95\x08g\xb6" + events, "a record of 9223372036854775808 bytes");
}

TEST_F(ImportRuns, FollowsNoLinkBelowAFolder) {
    std::filesystem::create_directory(folder_ / "board");
    std::filesystem::create_symlink(kCases + "/board/simple/events.out.tfevents.1", folder_ / "board/events.out.tfevents.1");
    const auto result = import(folder_ / "board");
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, HasSubstr("is a symbolic link"));
}

TEST_F(ImportRuns, LeavesADatabaseOfAnotherKindAlone) {
    const std::string file = folder_ / "other.db";
    SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE metrics (a)");
    const auto result = import(file);
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, HasSubstr("neither a Heddle nor a Trackio database"));
}

}  // namespace
}  // namespace heddle::app
