// SPDX-License-Identifier: Apache-2.0
// Tokenizers and class names of a run are read through the SHA-256 that its checkpoints record.
#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/run_data.h"
#include "engine/run/inspection.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "tests/unit/engine/spec/refusals.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A run of ten steps with checkpoints at every fifth; its tokenizers are in run/tokenizer.
class RecordedFilesTest : public testing::Test {
protected:
    RecordedFilesTest() : spec(test::toySpec(folder.path(), test::toyPairs(40), test::toyPairs(6))) {
        spec.train.epochs = 0;
        spec.train.steps = 10;
        spec.train.checkpointEvery = 5;
        spec.record.probes = 0;
        train(request());
    }

    TrainRequest request() const { return test::toyRequest(spec, folder.path(), "run"); }
    static void train(const TrainRequest& request) {
        test::RecordingSink sink;
        Mailbox mailbox;
        test::createEngine()->train(request, sink, mailbox);
    }
    std::string file(const std::string& side) const {
        for (const char* extension : {".json", ".model"})
            if (fs::exists(folder / "run/tokenizer/" + side + extension)) return folder / "run/tokenizer/" + side + extension;
        return "";
    }
    /// Exchanges two words of a tokenizer: still a good file, of as many words.
    void exchangeWords(const std::string& side) const {
        Json document = readJsonFile(file(side));
        std::swap(document.at("words")[0], document.at("words")[1]);
        test::writeFile(file(side), canonicalJson(document));
    }
    void translate() const {
        DecodeRequest request;
        request.lines = {test::toyPairs(1)[0].first};
        test::createEngine()->openInference(spec, folder / "run", folder / "run/step-10", "cpu")->translate(request);
    }
    EvaluationRequest evaluation() const {
        EvaluationRequest request;
        request.spec = spec;
        request.checkpointFolder = folder / "run/step-10";
        request.cacheFolder = folder / "cache";
        request.device = "cpu";
        return request;
    }
    void evaluate() const { test::createEngine()->evaluate(evaluation()); }
    void resume() const {
        TrainRequest resumed = request();
        resumed.resumeFrom = folder / "run/step-5";
        train(resumed);
    }
    void fineTune() const {
        TrainRequest next = test::toyRequest(spec, folder.path(), "next");
        next.spec.train.start.checkpoint = folder / "run/step-10";
        train(next);
    }

    TemporaryFolder folder;
    RunSpec spec;
};

TEST_F(RecordedFilesTest, NobodyUsesATokenizerThatHasChanged) {
    EXPECT_EQ(whyRefused([&] { translate(); }), "");
    EXPECT_EQ(whyRefused([&] { evaluate(); }), "");
    const std::string recorded = sha256OfFile(file("target"));
    exchangeWords("target");
    const auto names = AllOf(HasSubstr(file("target")), HasSubstr(recorded.substr(0, 12)),
                             HasSubstr(sha256OfFile(file("target")).substr(0, 12)), HasSubstr("restore the file"));
    EXPECT_THAT(whyRefused([&] { translate(); }), names);
    EXPECT_THAT(whyRefused([&] { evaluate(); }), names);
    EXPECT_THAT(whyRefused([&] { resume(); }), names);
    EXPECT_THAT(whyRefused([&] { fineTune(); }), names);
}

TEST_F(RecordedFilesTest, NobodyReadsATokenizerThroughALink) {
    const std::string name = file("target"), elsewhere = folder / "elsewhere.json";
    fs::rename(name, elsewhere);
    fs::create_symlink(elsewhere, name);
    const auto says = HasSubstr(name + " is a link, which is not followed");
    EXPECT_THAT(whyRefused([&] { translate(); }), says);
    EXPECT_THAT(whyRefused([&] { evaluate(); }), says);
    EXPECT_THAT(whyRefused([&] { resume(); }), says);
    EXPECT_THAT(whyRefused([&] { fineTune(); }), says);
}

TEST_F(RecordedFilesTest, AResumeMakesAMissingTokenizerAnew) {
    const std::string name = file("source"), recorded = sha256OfFile(name);
    fs::remove(name);
    resume();
    EXPECT_EQ(sha256OfFile(name), recorded);
    translate();
}

TEST_F(RecordedFilesTest, AFineTunedRunReadsItsOwnTokenizersOnResume) {
    fineTune();
    TrainRequest resumed = test::toyRequest(spec, folder.path(), "next");
    resumed.spec.train.start.checkpoint = folder / "run/step-10";
    resumed.resumeFrom = folder / "next/step-5";
    train(resumed);
    const std::string own = folder / "next/tokenizer/source.json";
    test::writeFile(own, "{}");
    EXPECT_THAT(whyRefused([&] { train(resumed); }), HasSubstr(own));
}

TEST_F(RecordedFilesTest, AResumeSaysWhichDataFileHasChanged) {
    const std::string& name = spec.data.train.target;
    std::string text = test::readFile(name);
    text[0] = text[0] == 'x' ? 'y' : 'x';
    test::writeFile(name, text);
    EXPECT_THAT(whyRefused([&] { resume(); }), AllOf(HasSubstr("the data differ"), HasSubstr(name), HasSubstr("recorded")));
    EXPECT_EQ(whyRefused([&] { translate(); }), "") << "the run's own tokenizers stay as they were";
}

TEST_F(RecordedFilesTest, NobodyMeasuresChangedExamplesAsThoseOfTheRun) {
    const std::string& name = spec.data.valid.source;
    const std::string text = test::readFile(name);
    test::writeFile(name, text.substr(text.find('\n') + 1) + text.substr(0, text.find('\n') + 1));  // another order
    const auto refused = AllOf(HasSubstr("the valid examples have changed"), HasSubstr("data.valid.source, " + name),
                               HasSubstr("SHA-256 recorded"), HasSubstr("--source FILE --target FILE"));
    EXPECT_THAT(whyRefused([&] { evaluate(); }), refused);
    InspectionRequest inspected;
    inspected.spec = spec;
    inspected.runFolder = folder / "run";
    inspected.checkpointFolder = folder / "run/step-10";
    inspected.cacheFolder = folder / "cache";
    inspected.device = "cpu";
    const auto engine = test::createEngine();
    const auto session = engine->openInspection(inspected);
    EXPECT_THAT(whyRefused([&] { session->effect({{}, {"valid", 0}}); }), refused);
    EXPECT_THAT(whyRefused([&] { session->observe({}); }), refused);
    EvaluationRequest others = evaluation();
    others.otherFiles = true;
    EXPECT_NO_THROW(test::createEngine()->evaluate(others)) << "they are the user's";
    EXPECT_EQ(whyRefused([&] { translate(); }), "") << "it reads no examples";
}

TEST_F(RecordedFilesTest, ChangedTrainingExamplesAreAWarningOfAnEvaluation) {
    const std::string& name = spec.data.train.target;
    std::string text = test::readFile(name);
    text[0] = text[0] == 'x' ? 'y' : 'x';
    test::writeFile(name, text);
    const EvaluationReport report = test::createEngine()->evaluate(evaluation());
    EXPECT_THAT(report.warnings, testing::Contains(AllOf(HasSubstr("the data differ from those that the run was trained with"),
                                                         HasSubstr("data.train.target, " + name))));
}

TEST_F(RecordedFilesTest, ACheckpointThatNamesNoTokenizersIsRefused) {
    Checkpoint checkpoint = readCheckpoint(folder / "run/step-10");
    for (const Json& wrong : {Json(), Json("x"), Json{1, 2}, Json{"x", "y"}, Json{std::string(64, 'a')}}) {
        Json identity = checkpoint.identity;
        identity["tokenizer_hashes"] = wrong;
        EXPECT_THROW(recordedFiles(identity, "folder"), Error) << wrong;
    }
    EXPECT_EQ(recordedFiles(checkpoint.identity, "folder").tokenizers.size(), 2U);
}

TEST(Identity, OnlyWhatACheckpointRecordsIsCompared) {
    const Json now{{"seed", "1"}, {"classes_hash", "abc"}};
    EXPECT_TRUE(isSameIdentity({{"seed", "1"}}, now)) << "an older version recorded no classes";
    EXPECT_FALSE(isSameIdentity({{"seed", "2"}}, now));
    EXPECT_FALSE(isSameIdentity({{"seed", "1"}, {"more", 1}}, now));
    EXPECT_FALSE(isSameIdentity(Json(), now));
}

}  // namespace
}  // namespace heddle
