// SPDX-License-Identifier: Apache-2.0
// `heddle runs export` for other programs, in-process, and back by `heddle runs import`. What the other programs read is asked
// by tests/exchange/run.py.
#include "app/foreign/export_runs.h"
#include "app/foreign/export_text.h"
#include "app/foreign/wire.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/temporary_folder.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "storage/run_store.h"
#include "storage/schema.h"
#include "tests/unit/app/command.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

namespace fs = std::filesystem;

constexpr const char* kBase = "a10000000000";
constexpr const char* kFull = "b10000000000";
constexpr const char* kGone = "c10000000000";  // in the trash

/// All numbers of a run by what they are, as bits, so that NaN is equal to NaN and 0 differs from -0.
using Numbers = std::map<std::string, std::uint64_t>;

Numbers numbersOf(const std::string& database, const std::string& name) {
    const auto query = storage::RunQuery::open(database);
    const auto found = query->matching(name);
    EXPECT_THAT(found, SizeIs(1)) << name;
    Numbers numbers;
    if (found.empty()) return numbers;
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::nan("") : value); };
    for (const auto& key : query->series(found[0].id))
        for (const auto& p : query->points(found[0].id, key.name, key.path, 0, std::numeric_limits<std::int64_t>::max()))
            numbers[fmt::format("{} of {} at {}", key.name, key.path, p.step)] = bits(p.value);
    for (const auto& e : query->evaluations(found[0].id))
        numbers[fmt::format("{}:{} at {}", e.split, e.metric, e.step)] = bits(e.value);
    return numbers;
}

class RunsExport : public testing::Test {
protected:
    RunsExport() {
        const auto store = storage::RunStore::open(database_, {"test", 0});
        add(*store, kBase, "base", 0.003);
        add(*store, kFull, "=full, \"α\"", 0.002);
        add(*store, kGone, "gone", 0.004);
        auto full = *storage::RunQuery::open(database_)->run(kFull);
        full.intervened = 2;
        full.state = "stopped";
        full.tags = {"paper", "with space"};
        store->updateRun(full);
        auto gone = *storage::RunQuery::open(database_)->run(kGone);
        gone.trashed = 2000;
        store->updateRun(gone);
    }

    static void add(storage::RunStore& store, const std::string& id, const std::string& name, double lr) {
        Json spec = readJsonFile(HEDDLE_SOURCE_DIR "/resources/sample/eau-base.json");
        spec["train"]["lr"] = lr;
        spec["name"] = name;
        spec["seed"] = 7;
        storage::RunRecord run;
        run.id = id;
        run.name = name;
        run.state = "completed";
        run.created = 1000.5;
        run.seed = 7;
        run.step = 4;
        run.spec = canonicalJson(RunSpec::parse(spec, builtinCatalogue()).toJson());
        store.addRun(run);
        for (const std::int64_t attempt : {1, 2}) {
            storage::AttemptRecord record;
            record.run = id;
            record.attempt = attempt;
            record.started = 1000.25 + static_cast<double>(attempt);
            record.seconds = 5;
            store.addAttempt(record);
        }
        addValues(store, id);
    }

    static void addValues(storage::RunStore& store, const std::string& id) {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
        store.append({id, 1, "loss", "", 1, 1, {3.0F, 0.1F, 99.0F, 98.0F}, true});
        store.append({id, 2, "loss", "", 3, 1, {kNan, -0.0F}, true});  // repeats what the first attempt had
        store.append({id, 1, "lr", "", 1, 1, {1e-3F, -kInf, kInf, 1e-45F}, true});
        store.append({id, 1, "gate/mean", "encoder.layers.0.self/head 2", 2, 2, {0.5F, 0.25F}, true});
        const auto evaluate = [&](const char* split, const char* metric, std::int64_t step, double value) {
            store.add(storage::EvaluationRecord{id, 1, step, 1, split, metric, "ce:nats", value, 2604, 0.5});
        };
        evaluate("valid", "loss", 2, 1.0 / 3);
        evaluate("valid", "loss", 4, 5e-324);
        evaluate("valid", "f1/PER", 4, std::nan(""));
        evaluate("test", "bleu", 4, 1e308);
        evaluate("train", "loss", 4, -std::numeric_limits<double>::infinity());
        storage::HistogramRecord histogram;
        histogram.run = id;
        histogram.step = 2;
        histogram.name = "gate";
        histogram.path = "encoder.layers.0";
        histogram.bins = {0, 3, 4, 0};
        histogram.mean = 0.5;
        histogram.minimum = 0.3;
        histogram.maximum = 0.7;
        store.add(histogram);
        store.add(storage::SampleRecord{id, 1, 4, 0, "a b", "c", "d | e"});
        store.add(storage::EventRecord{id, 1, 4, 0, 1001, "note", "as feared", ""});
        store.add(storage::EventRecord{id, 1, 4, 0, 1002, "note", "removed later", ""});
        store.add(storage::EventRecord{id, 1, 4, 0, 1003, "note", "as planned", R"({"replaces":1001})"});
        store.add(storage::EventRecord{id, 1, 4, 0, 1004, "note", "", R"({"replaces":1002})"});
    }

    CommandResult exported(const std::string& destination, std::vector<std::string> more) const {
        more.insert(more.begin(), {"runs", "export", destination});
        return runOn(database_, std::move(more));
    }
    std::vector<std::string> entries() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename().string());
        return names;
    }

    TemporaryFolder folder_;
    const std::string database_ = folder_ / "t.heddle";
};

class RunsExportAndImport : public RunsExport, public testing::WithParamInterface<const char*> {};

TEST_P(RunsExportAndImport, GiveBackEqualNumbers) {
    const std::string file = folder_ / "out", there = folder_ / "back.heddle";
    const auto done = exported(file, {"--format", GetParam()});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("interventions changed its training after step 2"));
    EXPECT_THAT(done.out, AllOf(HasSubstr(kBase), HasSubstr(kFull), Not(HasSubstr(kGone))));
    const auto back = runOn(there, {"runs", "import", file, "--json"});
    ASSERT_EQ(back.code, 0) << back.err;
    EXPECT_THAT(back.json().at("runs"), SizeIs(2));
    EXPECT_EQ(numbersOf(there, "base"), numbersOf(database_, "base"));
    EXPECT_THAT(numbersOf(there, "base"), SizeIs(4 + 4 + 2 + 5));
    EXPECT_EQ(runOn(there, {"runs", "import", file}).code, 2) << "imported twice";
    const auto query = storage::RunQuery::open(there);
    for (const auto& run : query->runs()) {
        EXPECT_EQ(run.seed, 7U);
        EXPECT_EQ(run.state, run.name == "base" ? "completed" : "stopped");
        EXPECT_EQ(run.intervened, run.name == "base" ? -1 : 2);
        EXPECT_EQ(run.created, 1000.5);
        EXPECT_EQ(Json::parse(run.spec).at("config").at("train.lr"), run.name == "base" ? 0.003 : 0.002) << run.spec;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, RunsExportAndImport, testing::Values("csv", "jsonl", "tensorboard"));

TEST_F(RunsExport, TablesHaveALineForEachValueAndEachRun) {
    const auto done = exported(folder_ / "tables", {"--format", "csv", "full", kFull});
    EXPECT_EQ(done.code, 2) << "no run has that name";
    ASSERT_EQ(exported(folder_ / "tables", {"--format", "csv", kFull, kGone}).code, 0);
    const std::string points = readWholeFile(folder_ / "tables/points.csv"), runs = readWholeFile(folder_ / "tables/runs.csv");
    EXPECT_THAT(points, HasSubstr("run,name,seed,kind,split,metric,path,step,value,epoch,n,signature,attempt\n"
                                  "b10000000000,\"'=full, \"\"α\"\"\",7,series,train,"));
    EXPECT_THAT(points, HasSubstr(",series,train,loss,,2,0.10000000149011612,,,,1\n"));
    EXPECT_THAT(points, HasSubstr(",series,train,loss,,3,NaN,,,,2\n"));
    EXPECT_THAT(points, HasSubstr(",series,train,loss,,4,-0.0,,,,2\n"));
    EXPECT_THAT(points, HasSubstr(",evaluation,valid,loss,,2,0.3333333333333333,1,2604,ce:nats,1\n"));
    EXPECT_THAT(points, HasSubstr("c10000000000,gone,7,")) << "runs in the trash are exported by name";
    EXPECT_THAT(runs, AllOf(HasSubstr(",intervened,in_trash,damage,spec."), HasSubstr(",spec.train.lr,"),
                            HasSubstr("as planned"), Not(HasSubstr("as feared")), Not(HasSubstr("removed later"))));
    EXPECT_THAT(runs, HasSubstr("\"[\"\"paper\"\",\"\"with space\"\"]\""));
}

TEST_F(RunsExport, JsonLinesAreObjects) {
    ASSERT_EQ(exported(folder_ / "r.jsonl", {"--format", "jsonl", "base"}).code, 0);
    std::istringstream lines(readWholeFile(folder_ / "r.jsonl"));
    std::map<std::string, int> kinds;
    for (std::string line; std::getline(lines, line);) {
        const Json object = Json::parse(line);
        ++kinds[object.at("kind")];
        if (object.at("kind") == "run") {
            EXPECT_EQ(object.at("spec").at("train").at("lr"), 0.003);
        }
        if (object.value("metric", "") == "f1/PER") {
            EXPECT_EQ(object.at("value"), "NaN");
        }
    }
    EXPECT_EQ(kinds, (std::map<std::string, int>{{"run", 1}, {"point", 10}, {"evaluation", 5}}));
}

TEST_F(RunsExport, ReplacesNothingAndLeavesNothingHalfWritten) {
    writeFileAtomically(folder_ / "mine", "precious");
    for (const char* format : {"csv", "jsonl", "tensorboard", "optuna"}) {
        const auto refused = exported(folder_ / "mine", {"--format", format});
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(refused.err, AllOf(HasSubstr("there is something at the destination"), HasSubstr("give another name")));
        const auto missing = exported(folder_ / "no/where", {"--format", format});
        EXPECT_THAT(missing.err, HasSubstr("the folder of the destination is missing"));
    }
    EXPECT_EQ(readWholeFile(folder_ / "mine"), "precious");
    const auto before = entries();
    EXPECT_EQ(exported(folder_ / "study.db", {"--format", "optuna", "--metric", "valid:chrf"}).code, 2);
    const auto query = storage::RunQuery::open(database_);
    RunExport stopped{ExportFormat::TensorBoard, folder_ / "board", {kBase, kFull}};
    stopped.stopRequested = [] { return true; };
    EXPECT_THROW(exportRuns(*query, stopped), Error);
    EXPECT_THAT(entries(), testing::UnorderedElementsAreArray(before));
}

TEST_F(RunsExport, SaysWhatItDoesNotKnow) {
    EXPECT_THAT(exported(folder_ / "x", {"--format", "cvs"}).err, HasSubstr("did you mean \"csv\"?"));
    EXPECT_THAT(exported(folder_ / "x.csv", {}).err, HasSubstr("add --format csv"));
    EXPECT_THAT(exported(folder_ / "x.db", {"--format", "optuna", "--metric", "loss"}).err, HasSubstr("write valid:loss"));
    EXPECT_THAT(exported(folder_ / "x.db", {"--format", "optuna", "--metric", "valid:chrf"}).err,
                AllOf(HasSubstr("none of the runs has the metric valid:chrf"), HasSubstr("valid:loss")));
    EXPECT_THAT(exported(folder_ / "x.db", {"--format", "optuna", "--value", "worst"}).err, HasSubstr("unknown value rule"));
}

TEST_F(RunsExport, DamagedRecordsAreNamedAndNeverNumbers) {
    {
        SQLite::Database raw(database_, SQLite::OPEN_READWRITE);
        raw.exec(
            "UPDATE chunk SET data = zeroblob(length(data)) WHERE series = (SELECT s.num FROM series s JOIN run r ON"
            " s.run = r.num WHERE r.id = 'a10000000000' AND s.name = 'lr')");
        raw.exec("UPDATE evaluation SET value = 2.0 WHERE metric = 'bleu'");
        raw.exec("UPDATE run SET seed = 8 WHERE id = 'b10000000000'");
    }
    for (const char* format : {"csv", "jsonl", "tensorboard", "optuna"})
        ASSERT_EQ(exported(folder_ / format, {"--format", format}).code, 0) << format;
    EXPECT_THAT(readWholeFile(folder_ / "csv/points.csv"),
                AllOf(Not(HasSubstr("base,7,series,train,lr,")), Not(HasSubstr("bleu"))));
    EXPECT_THAT(readWholeFile(folder_ / "csv/runs.csv"), AllOf(HasSubstr("are damaged"), HasSubstr(",damaged,")));
    EXPECT_THAT(readWholeFile(folder_ / "jsonl"), AllOf(HasSubstr(R"({"kind":"damage","run":"a10000000000","text":")"),
                                                        HasSubstr(R"("text":"its record is damaged")")));
    for (const char* format : {"csv", "jsonl", "tensorboard"}) {
        const auto back = runOn(folder_ / (std::string(format) + ".heddle"), {"runs", "import", folder_ / format});
        EXPECT_EQ(back.code, 0) << back.err;
        EXPECT_THAT(back.out, AllOf(HasSubstr("imported 1 run "), HasSubstr("records were damaged")));
    }
    SQLite::Database study(folder_ / "optuna");
    EXPECT_EQ(study.execAndGet("SELECT group_concat(state) FROM trials").getString(), "FAIL,COMPLETE");
}

TEST_F(RunsExport, AStudyHasATrialForEachRun) {
    ASSERT_EQ(exported(folder_ / "lr.db", {"--format", "optuna", "--value", "best"}).code, 0);
    SQLite::Database study(folder_ / "lr.db");
    const auto ask = [&](const char* sql) { return study.execAndGet(sql).getString(); };
    EXPECT_EQ(ask("SELECT study_name || ' ' || direction FROM studies JOIN study_directions USING (study_id)"), "lr MINIMIZE");
    EXPECT_EQ(ask("SELECT group_concat(state) FROM trials"), "COMPLETE,PRUNED");
    EXPECT_EQ(ask("SELECT group_concat(param_name || '=' || param_value) FROM trial_params"), "train.lr=0.003,train.lr=0.002");
    EXPECT_EQ(ask("SELECT distribution_json FROM trial_params"),
              R"({"attributes":{"high":0.003,"log":false,"low":0.002,"step":null},"name":"FloatDistribution"})");
    EXPECT_EQ(study.execAndGet("SELECT value FROM trial_values").getDouble(), 5e-324);
    EXPECT_EQ(study.execAndGet("SELECT intermediate_value FROM trial_intermediate_values WHERE step = 2").getDouble(), 1.0 / 3);
    EXPECT_EQ(ask("SELECT value_json FROM trial_user_attributes WHERE trial_id = 2 AND \"key\" = 'heddle:intervened'"), "2");
    ASSERT_EQ(exported(folder_ / "f1.db", {"--format", "optuna", "--metric", "valid:f1/PER"}).code, 0);
    SQLite::Database undefined(folder_ / "f1.db");
    EXPECT_EQ(undefined.execAndGet("SELECT group_concat(state) FROM trials").getString(), "FAIL,PRUNED") << "NaN is no value";
    EXPECT_EQ(undefined.execAndGet("SELECT intermediate_value_type FROM trial_intermediate_values").getString(), "NAN");
}

TEST(ExportText, NumbersReadBackAsThemselves) {
    for (const double value : {0.1, -0.0, 1.0, 1e16, 1e22, 5e-324, 1.0 / 3, double(0.1F), 123456789.0}) {
        const std::string text = exactText(value);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(value))
            << text;
        EXPECT_THAT(text, testing::ContainsRegex("[.e]"));
    }
    EXPECT_EQ(exactText(1), "1.0");
    EXPECT_EQ(exactText(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(ExportText, NamesOfFilesAreSafe) {
    EXPECT_EQ(fileNameOf("../a b/ü", "0123"), "a-b--0123");
    EXPECT_EQ(fileNameOf("", "0123"), "0123");
    EXPECT_EQ(fileNameOf("eau-base", "0123"), "eau-base-0123");
}

TEST(PythonReader, KnowsTheNewestSchema) {
    const std::string reader = readWholeFile(HEDDLE_SOURCE_DIR "/resources/python/heddle.py");
    EXPECT_THAT(reader, HasSubstr(fmt::format("\nNEWEST_SCHEMA = {} ", storage::schemaVersion())));
}

TEST(RecordWriter, FramesARecordAsTensorBoardDid) {
    const std::string path = HEDDLE_SOURCE_DIR "/tests/unit/app/foreign/cases/board/simple/events.out.tfevents.1";
    std::string written;
    RecordReader reader(path);
    for (std::string record; reader.next(record);) written += framed(record);
    EXPECT_EQ(written, readWholeFile(path));
}

}  // namespace
}  // namespace heddle::app
