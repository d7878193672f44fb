// SPDX-License-Identifier: Apache-2.0
// heddle reproduce through the CLI, with a recipe of its own and a fake engine.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kPublished = R"({"schema":"heddle.published/1","id":"tiny","paper":"A Paper","table":"Table 1",
"title":"Scores","source":"section 4","columns":[
 {"id":"parameters","title":"parameters","definition":"Counted.","decimals":0},
 {"id":"bleu","title":"BLEU","definition":"As printed.","better":"higher","decimals":2,"remarks":["E1"]},
 {"id":"server","title":"test accuracy","definition":"Of a server.","unit":"%"}],
"rows":[{"name":"base","preset":"eau-base","values":{"parameters":14602,"bleu":26.61,"server":70.1}},
        {"name":"full","preset":"eau-full","control":"parameters","values":{"bleu":26.79,"server":71.2}}],
"remarks":[{"id":"E1","text":"The schedule is not stated in the paper, so a common one is used in its place here."}]})";

constexpr const char* kRecipe = R"({"schema":"heddle.recipe/1","id":"tiny","title":"A table for tests","published":"tiny",
"differs":["Everything is small."],
"data":[{"id":"corpus","title":"A corpus","from":"https://example.org/corpus","folders":["corpus","."],
         "files":{"a":["a.txt","a.txt.gz"],"b":["b.txt"]}}],
"set":["data.train.source={corpus:a}","data.train.target={corpus:b}","dims.d=16","dims.f=32","dims.heads=2","dims.layers_enc=1",
       "dims.layers_dec=1","train.epochs=0","train.steps=40","train.device=cpu"],
"not_measured":{"server":"labels are not public"},
"measures":[{"id":"parameters","column":"parameters","from":"count","set":["dims.vocab_src=100","dims.vocab_tgt=100"]},
            {"id":"bleu","column":"bleu","from":"evaluation","split":"test","metric":"bleu"},
            {"id":"forced","column":"bleu","reading":"teacher-forced","from":"evaluation","split":"test","metric":"forced"}],
"runs":[{"name":"base","preset":"eau-base","row":"base","measures":["parameters","bleu","forced"]},
        {"name":"full","preset":"eau-full","row":"full","measures":["bleu"]},
        {"name":"wide","preset":"eau-base","set":["dims.f=64"],"row":"base, wider","measures":["bleu"]}],
"full":{"label":"everything","seeds":2},
"quick":{"label":"a little","seeds":1,"runs":["base","full"],"set":["train.steps=20"]}})";

using Result = CommandResult;

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

class ReproduceTest : public testing::Test, protected SessionFixture {
protected:
    ReproduceTest() {
        write("resources/published/tiny.json", kPublished);
        write("resources/recipes/tiny.json", kRecipe);
        ::setenv("HEDDLE_RESOURCES", (folder_ / "resources").c_str(), 1);
        engine_->evaluations = [](const RunSpec& spec) {
            const double bleu = 20 + static_cast<double>(spec.seed);
            return std::vector<EvaluationDone>{{1, "test", {{"bleu", bleu, "the signature", 100}, {"forced", 50, "", 100}}, 0}};
        };
    }
    ~ReproduceTest() override { ::unsetenv("HEDDLE_RESOURCES"); }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories(fs::path(folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
    }
    void writeData() {
        write("data/corpus/a.txt", "a b\n");
        write("data/corpus/b.txt", "c d\n");
    }
    Result reproduce(std::vector<std::string> arguments, const std::string& data = "data") {
        arguments.insert(arguments.begin(), "reproduce");
        arguments.insert(arguments.end(), {"--data", folder_ / data});
        return runOn(file_, std::move(arguments), [this] { return engine_; });
    }
    static const Json& line(const Json& document, std::size_t block, const std::string& row) {
        for (const auto& line : document.at("columns").at(block).at("rows"))
            if (line.at("row") == row) return line;
        throw std::runtime_error("no row " + row);
    }
};

TEST_F(ReproduceTest, ListNamesEveryRecipe) {
    const Result list = reproduce({"list"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_THAT(list.out, AllOf(HasSubstr("tiny"), HasSubstr("A table for tests")));
    EXPECT_EQ(reproduce({"list", "--json"}).json().at("tables").at(0).at("runs"), 3);
    const Result unknown = reproduce({"tinny"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean \"tiny\""));
}

TEST_F(ReproduceTest, MissingDataAreNamedFileByFileAndNothingStarts) {
    write("data/corpus/b.txt", "c d\n");
    const Result result = reproduce({"tiny"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, AllOf(HasSubstr("1 data file is missing; nothing was started"), HasSubstr("a.txt or a.txt.gz"),
                                  HasSubstr("data/corpus"), HasSubstr("https://example.org/corpus")));
    EXPECT_THAT(result.err, Not(HasSubstr("b.txt"))) << "what is there is not asked for";
    EXPECT_FALSE(fs::exists(file_));
    EXPECT_EQ(engine_->trained, 0);
    const Json error = reproduce({"tiny", "--json"}).json();
    EXPECT_EQ(error.at("schema"), "heddle.error/1");
}

TEST_F(ReproduceTest, DryRunTellsThePlanAndStartsNothing) {
    const Result missing = reproduce({"tiny", "--dry-run"});
    EXPECT_EQ(missing.code, 0) << missing.err;
    EXPECT_THAT(missing.out,
                AllOf(HasSubstr("no data"), HasSubstr("missing data"), HasSubstr("b.txt"), HasSubstr("2 files missing")));
    writeData();
    const Result ready = reproduce({"tiny", "--dry-run"});
    EXPECT_THAT(ready.out, AllOf(HasSubstr("6 to run"), Not(HasSubstr("missing"))));
    EXPECT_THAT(reproduce({"tiny", "--quick", "--dry-run"}).out, AllOf(HasSubstr("2 to run"), HasSubstr("QUICK VERSION")));
    EXPECT_FALSE(fs::exists(file_));
    EXPECT_EQ(engine_->trained, 0);
}

TEST_F(ReproduceTest, ADryRunBuildsEveryModelAndNamesThoseThatCannotBeTrained) {
    writeData();
    std::vector<std::string> built;
    engine_->rehearsal = [&](const RunSpec& spec) {
        built.push_back(spec.name);
        if (spec.variant.resolve().dims.f == 64)
            throwInvalid("two classes, one output", "variant, dims.classes", "set it to 2");
    };
    const Result result = reproduce({"tiny", "--dry-run"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(built, ElementsAre("tiny base seed 1", "tiny full seed 1", "tiny wide seed 1")) << "once, whatever the seeds";
    EXPECT_THAT(result.out, AllOf(HasSubstr("runs that cannot be trained"),
                                  HasSubstr("wide: two classes, one output (variant, dims.classes): set it to 2")));
    EXPECT_THAT(result.err, HasSubstr("2 models were built and met their data"));
    const Json runs = reproduce({"tiny", "--dry-run", "--json"}).json().at("runs");
    EXPECT_EQ(runs.at(0).at("problem"), "");
    EXPECT_THAT(runs.at(2).at("problem").get<std::string>(), HasSubstr("one output"));
    built.clear();
    fs::remove(folder_ / "data/corpus/a.txt");
    EXPECT_EQ(reproduce({"tiny", "--dry-run"}).code, 0);
    EXPECT_THAT(built, IsEmpty()) << "there are no data to meet";
}

TEST_F(ReproduceTest, RunsEverySeedAndPutsPrintedBesideMeasured) {
    writeData();
    const Result result = reproduce({"tiny", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(engine_->trained, 6);
    const Json document = result.json();
    EXPECT_EQ(document.at("schema"), "heddle.reproduction/1");
    EXPECT_EQ(document.at("complete"), true);
    EXPECT_EQ(document.at("quick"), false);
    const Json& base = line(document, 1, "base");
    EXPECT_EQ(base.at("published"), 26.61);
    EXPECT_EQ(base.at("measured").at("n"), 2);
    EXPECT_EQ(base.at("measured").at("mean"), 21.5);
    EXPECT_NEAR(base.at("measured").at("sd").get<double>(), 0.7071, 1e-4);
    EXPECT_NEAR(base.at("difference").get<double>(), 21.5 - 26.61, 1e-9);
    EXPECT_EQ(base.at("measured").at("signature"), "the signature");
    EXPECT_EQ(line(document, 1, "base, wider").at("printed"), false);
    EXPECT_EQ(line(document, 1, "base, wider").at("published"), nullptr);
    EXPECT_EQ(document.at("columns").at(2).at("reading"), "teacher-forced");
    EXPECT_EQ(line(document, 3, "full").at("state"), "not measured");

    const Json runs = runOn(file_, {"runs", "list", "--json"}).json().at("runs");
    EXPECT_EQ(runs.size(), 6U);
    for (const auto& run : runs) EXPECT_THAT(run.at("tags"), ElementsAre("reproduce:tiny"));
}

TEST_F(ReproduceTest, WhatIsForSoManyExamplesIsScaledFromFewerAndThatIsSaid) {
    writeData();
    const auto per = [&](const std::string& count) {
        std::string recipe = kRecipe;
        const std::string metric = R"("metric":"forced")";
        write("resources/recipes/tiny.json", recipe.replace(recipe.find(metric), metric.size(), metric + ",\"per\":" + count));
    };
    per("100");  // what was measured
    const Json whole = line(reproduce({"tiny", "--quick", "--json"}).json(), 2, "base").at("measured");
    EXPECT_EQ(whole.at("mean"), 50);
    EXPECT_EQ(whole.at("remark"), "");
    per("500");
    const Json scaled = line(reproduce({"tiny", "--quick", "--json"}).json(), 2, "base").at("measured");
    EXPECT_EQ(scaled.at("mean"), 250);
    EXPECT_EQ(scaled.at("remark"), "scaled from 100 to 500");
    EXPECT_THAT(reproduce({"tiny", "--quick"}).out, HasSubstr("scaled from 100 to 500"));
}

TEST_F(ReproduceTest, FiguresOfARunAreMeasures) {
    writeData();
    const auto field = [&](const std::string& name) {
        std::string recipe = kRecipe;
        const std::string from = R"("from":"evaluation","split":"test","metric":"forced")";
        write("resources/recipes/tiny.json",
              recipe.replace(recipe.find(from), from.size(), R"("from":"run","field":")" + name + "\""));
        return reproduce({"tiny", "--quick", "--json"});
    };
    EXPECT_EQ(line(field("steps").json(), 2, "base").at("measured").at("mean"), 20);
    EXPECT_GT(line(field("training_seconds").json(), 2, "base").at("measured").at("mean"), 0);
    EXPECT_EQ(line(field("seconds_to_best").json(), 2, "base").at("state"), "not recorded") << "there was no validation";
    const Result unknown = field("training_second");
    EXPECT_EQ(unknown.code, 3);
    EXPECT_THAT(unknown.out + unknown.err, HasSubstr("did you mean \\\"training_seconds\\\"?"));
}

TEST_F(ReproduceTest, ASecondStartTrainsNothing) {
    writeData();
    reproduce({"tiny"});
    EXPECT_EQ(engine_->trained, 6);
    const Result again = reproduce({"tiny"});
    EXPECT_EQ(again.code, 0);
    EXPECT_EQ(engine_->trained, 6);
    EXPECT_THAT(again.out, HasSubstr("6 done"));
    EXPECT_EQ(reproduce({"tiny", "--seeds", "3"}).code, 0);
    EXPECT_EQ(engine_->trained, 9) << "one seed more";
    // The same files in another folder are the same data; other files are not.
    fs::rename(folder_ / "data", folder_ / "moved");
    fs::copy(folder_ / "moved", folder_ / "data", fs::copy_options::recursive);
    reproduce({"tiny"});
    EXPECT_EQ(engine_->trained, 9);
}

TEST_F(ReproduceTest, OtherDataAreOtherRuns) {
    writeData();
    reproduce({"tiny", "--quick"});
    EXPECT_EQ(engine_->trained, 2);
    fs::create_directories(folder_ / "data/elsewhere");
    write("other/a.txt", "quite different\n");
    write("other/b.txt", "c d\n");
    reproduce({"tiny", "--quick"}, "other");
    EXPECT_EQ(engine_->trained, 4);
}

TEST_F(ReproduceTest, DataAreKnownByTheirContentsAndNotByTheirSize) {
    writeData();
    reproduce({"tiny", "--quick"});
    EXPECT_EQ(engine_->trained, 2);
    fs::copy(folder_ / "data", folder_ / "copy", fs::copy_options::recursive);
    reproduce({"tiny", "--quick"}, "copy");
    EXPECT_EQ(engine_->trained, 2) << "the same data at another place";
    for (const auto& file : fs::recursive_directory_iterator(folder_ / "copy")) {
        if (!file.is_regular_file() || file.path().filename() != "a.txt") continue;
        std::fstream(file.path(), std::ios::in | std::ios::out) << '#';  // another first letter
    }
    reproduce({"tiny", "--quick"}, "copy");
    EXPECT_EQ(engine_->trained, 4) << "other data of the same size";
}

TEST_F(ReproduceTest, WordVectorsAreKnownByTheirContentsToo) {
    std::string recipe = kRecipe;
    const std::string target = R"("data.train.target={corpus:b}",)";
    recipe.insert(recipe.find(target), R"("data.vectors={corpus:b}",)");
    write("resources/recipes/tiny.json", recipe);
    writeData();
    reproduce({"tiny", "--quick"});
    EXPECT_EQ(engine_->trained, 2);
    fs::copy(folder_ / "data", folder_ / "copy", fs::copy_options::recursive);
    reproduce({"tiny", "--quick"}, "copy");
    EXPECT_EQ(engine_->trained, 2) << "the same vectors at another place";
}

TEST_F(ReproduceTest, GoesOnAfterAnInterruption) {
    writeData();
    engine_->interruptAt = 15;  // in the first run, with a checkpoint at step 10
    const Result first = reproduce({"tiny"});
    EXPECT_EQ(first.code, 130);
    EXPECT_THAT(first.err, HasSubstr("repeat the command to continue"));
    EXPECT_THAT(first.out, AllOf(HasSubstr("5 to run"), HasSubstr("1 unfinished")));
    EXPECT_EQ(engine_->trained, 1);
    engine_->interruptAt = 0;
    const Result second = reproduce({"tiny", "--json"});
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(second.json().at("complete"), true);
    EXPECT_EQ(engine_->trained, 7) << "the first run was resumed, not begun again";
    EXPECT_EQ(runOn(file_, {"runs", "list", "--json"}).json().at("runs").size(), 6U);
}

TEST_F(ReproduceTest, ARunThatDivergesIsToldAndTheOthersGoOn) {
    writeData();
    engine_->failAt = 30;
    const Result result = reproduce({"tiny", "--json"});
    EXPECT_EQ(result.code, 5);
    EXPECT_EQ(engine_->trained, 6);
    EXPECT_EQ(line(result.json(), 1, "base").at("state"), "failed");
    EXPECT_EQ(line(result.json(), 1, "base").at("why"), "diverged");
    EXPECT_EQ(line(result.json(), 1, "base").at("measured"), nullptr);
    reproduce({"tiny"});
    EXPECT_EQ(engine_->trained, 6) << "what has diverged would diverge again";
}

TEST_F(ReproduceTest, OnlyOneRowAndWhatDataAllow) {
    writeData();
    const Result one = reproduce({"tiny", "--quick", "--only", "fu", "--json"});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(engine_->trained, 1);
    EXPECT_EQ(line(one.json(), 1, "base").at("state"), "left out");
    const Result wrong = reproduce({"tiny", "--only", "fulll"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("did you mean \"full\""));
    fs::remove(folder_ / "data/corpus/a.txt");
    const Result rest = reproduce({"tiny", "--skip-missing", "--json"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(engine_->trained, 1);
    EXPECT_EQ(line(rest.json(), 1, "base").at("state"), "no data");
    EXPECT_EQ(line(rest.json(), 1, "base").at("why"), "corpus:a is missing");
    EXPECT_EQ(rest.json().at("complete"), false);
}

TEST_F(ReproduceTest, EveryLineOfAQuickTableSaysSo) {
    writeData();
    const Result result = reproduce({"tiny", "--quick", "--markdown", folder_ / "table.md"});
    ASSERT_EQ(result.code, 0) << result.err;
    int measured = 0;
    for (const auto& line : linesOf(result.out)) {
        EXPECT_LE(line.size(), 130U) << line;  // bytes; 120 columns
        if (line.starts_with("  base") || line.starts_with("  full")) {
            EXPECT_THAT(line, HasSubstr("quick"));
            ++measured;
        }
    }
    EXPECT_EQ(measured, 5) << result.out;
    EXPECT_THAT(result.out, AllOf(HasSubstr("QUICK VERSION, not the paper's experiment: a little"), HasSubstr("E1"),
                                  HasSubstr("controls for parameters"), HasSubstr("not in the quick version"),
                                  HasSubstr("labels are not public"), HasSubstr("-5.61")));
    std::ifstream file(folder_ / "table.md");
    const std::string markdown{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(markdown,
                AllOf(HasSubstr("# A table for tests"), HasSubstr("**Quick version"), HasSubstr("| 26.61 | 21.00 |")));
}

TEST_F(ReproduceTest, ChainsStartFromTheFirstRunsCheckpoint) {
    Json recipe = Json::parse(kRecipe);
    // Any text field shows what stands for the placeholder.
    recipe["runs"] = Json::parse(R"([{"name":"before","preset":"eau-base"},
        {"name":"after","preset":"eau-base","set":["name={checkpoint:before}","data.valid.source={checkpoint:before}/weights.safetensors",
         "data.valid.target={checkpoint:before}/weights.safetensors"],"row":"base","measures":["parameters","bleu","forced"]}])");
    recipe["quick"]["runs"] = Json::array();
    recipe["full"]["seeds"] = 1;
    write("resources/recipes/tiny.json", recipe.dump());
    writeData();
    EXPECT_THAT(reproduce({"tiny", "--dry-run"}).out,
                AllOf(HasSubstr("1 to run"), HasSubstr("1 waiting"), HasSubstr("after before")));
    const Result result = reproduce({"tiny", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(engine_->trained, 2);
    const Json runs = result.json().at("runs");
    const std::string before = runs.at(0).at("run"), after = runs.at(1).at("run");
    EXPECT_THAT(runOn(file_, {"runs", "show", after}).out, HasSubstr(before + "/step-40")) << "a run of its own parent";
}

TEST_F(ReproduceTest, PublishedOnlyTablesSayWhy) {
    write("resources/recipes/printed.json",
          R"({"schema":"heddle.recipe/1","id":"printed","title":"Printed","published":"tiny","why":"there is no protocol"})");
    const Result result = reproduce({"printed"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("published numbers only: there is no protocol"), HasSubstr("26.61")));
    EXPECT_EQ(engine_->trained, 0);
    EXPECT_FALSE(fs::exists(file_));
}

TEST_F(ReproduceTest, ARecipeWithAMistakeNamesIt) {
    Json recipe = Json::parse(kRecipe);
    recipe["runs"][0]["set"] = {"train.lrr=1"};
    write("resources/recipes/tiny.json", recipe.dump());
    writeData();
    const Result result = reproduce({"tiny", "--dry-run"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, HasSubstr("did you mean \"lr\""));
    recipe["runs"][0]["set"] = {"data.test.source={corpus:c}"};
    write("resources/recipes/tiny.json", recipe.dump());
    EXPECT_THAT(reproduce({"tiny"}).err, HasSubstr("unknown file \"corpus:c\""));
}

}  // namespace
}  // namespace heddle::app
