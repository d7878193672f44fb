// SPDX-License-Identifier: Apache-2.0
// The CLI in-process: exit codes, messages and documents, on a database made with a fake engine.
#include "engine/base/sha256.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CommandResult cli(const std::vector<std::string>& arguments) { return runCommand(arguments); }

class CliTest : public testing::Test, protected SessionFixture {
protected:
    CommandResult on(std::vector<std::string> arguments) const { return runOn(file_, std::move(arguments)); }

    /// Trains small runs with the fake engine; returns their ids.
    std::vector<std::string> train(const std::vector<std::string>& names) const {
        const auto session = open();
        std::vector<std::string> runs;
        for (const auto& name : names) runs.push_back(session->submit(smallSpec(name, 20)));
        EXPECT_TRUE(ends(*session, runs.back()));
        return runs;
    }
    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    /// A run spec with two-line data files.
    std::string spec(const std::string& more = "") {
        write("a.txt", "a b\nc d\n");
        return write("spec" + std::to_string(specs_++) + ".json",
                     R"({"variant":{"preset":"eau-base"},"data":{"train":{"source":"a.txt","target":"a.txt"}})" + more + "}");
    }

    int specs_ = 0;
};

TEST_F(CliTest, HelpAndVersionOnStandardOutput) {
    const auto help = cli({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* command : {"train", "resume", "serve", "runs", "compare", "variants", "blocks", "data", "tokenizer",
                                "translate", "generate", "inspect", "verify", "bench", "doctor"})
        EXPECT_THAT(help.out, HasSubstr(command));
    EXPECT_THAT(cli({"train", "--help"}).out, AllOf(HasSubstr("--set"), HasSubstr("Examples:")));
    EXPECT_THAT(cli({"runs", "tag", "-h"}).out, HasSubstr("--remove"));
    EXPECT_EQ(cli({"--version"}).out, "heddle " HEDDLE_VERSION "\n");
    EXPECT_EQ(cli({"--version", "--json"}).json().at("version"), HEDDLE_VERSION);
}

TEST_F(CliTest, UsageErrorsAreCodeTwoWithASuggestion) {
    for (const auto& [arguments, hint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"trian"}, "did you mean \"train\""},
             {{"runs", "lst"}, "did you mean \"list\""},
             {{"runs"}, "no command given"},
             {{}, "no command given"},
             {{"train", "eau-base", "--seeed", "3"}, "did you mean \"--seed\""},
             {{"train", "eau-base", "--steps", "3", "--epochs", "3"}, "excludes"},
             {{"train", "eau-base", "--seed", "three"}, "--seed"},
             {{"train"}, "SPEC is required"},
             {{"runs", "show", "a", "b"}, "unexpected argument \"b\""},
             {{"blocks", "show", "grcc"}, "did you mean \"grc\""},
             {{"blocks", "list", "--slot", "residul"}, "did you mean \"residual\""},
             {{"translate", "a"}, "--run is required"},
             {{"tokenizer", "encode", "en.json", "a man sleeps"}, "--tokenizer is required"},
             {{"translate", "--run", "a", "--beam", "4", "--top-k", "3", "a"}, "beam search cannot be combined with sampling"},
             {{"translate", "--run", "a", "--beam", "4", "--n-best", "5", "a"}, "raise beam"},
             {{"generate", "--run", "a", "--temperature", "0", "a"}, "temperature"},
             {{"generate", "--run", "a", "--n-best", "2", "a"}, "use beam or sample"},
             {{"inspect"}, "RUN is required"},
             {{"inspect", "a", "--mute", "encoder.layers.0.self"}, "write it as encoder.layers.0.self:3"},
             {{"inspect", "a", "--rank", "heads", "--decode"}, "remove --decode and --text"},
             {{"inspect", "a", "--step", "3", "--checkpoint", "best"}, "excludes"},
             {{"inspect", "a", "--text", "b", "--corrupt", "c", "--examples", "3"}, "remove --examples or --corrupt"},
             {{"variants", "count", "eau-base", "--memory", "--batch", "9000000000000000000", "--length", "2"},
              "a batch of 9000000000000000000 sentences of 2 tokens is too large (--batch, --length)"},
             {{"completion", "tcsh"}, "bash, zsh or fish"}}) {
        const auto result = cli(arguments);
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_THAT(result.err, AllOf(StartsWith("heddle: "), HasSubstr(hint)));
        EXPECT_THAT(result.out, IsEmpty()) << "standard output carries results only";
    }
    const auto document = cli({"trian", "--json"});
    EXPECT_EQ(document.code, 2);
    EXPECT_EQ(document.json().at("schema"), "heddle.error/1");
    EXPECT_EQ(document.json().at("code"), 2);
}

TEST_F(CliTest, BadInputIsCodeThreeAndNothingIsMade) {
    write("not.json", "{\"variant\": ");
    for (const auto& [arguments, hint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"train", folder_ / "missing.json"}, "no such file or preset"},
             {{"train", "eau-bas"}, "did you mean \"eau-base\""},
             {{"train", folder_ / "not.json"}, "not.json"},
             {{"train", "eau-base"}, "no training data in the spec"},
             {{"train", "bert-base"}, "needs topology encdec"},
             {{"train", spec(), "--set", "data.train.source=" + (folder_ / "gone.txt")}, "gone.txt"},
             {{"train", spec(R"(,"tarin":{})")}, "did you mean \"train\""},
             {{"train", spec(), "--set", "train.lrr=1"}, "did you mean \"lr\""},
             {{"train", spec(), "--device", "tpu"}, "tpu"},
             {{"train", spec(), "--set", "dims.d=100", "--set", "dims.heads=8"}, "heads"},
             {{"variants", "check", spec(), "--set", "dims.heads=7"}, "heads"},
             {{"variants", "count", "eau-base"}, "dims.vocab_src"},
             {{"variants", "count", "star-1"}, "set it with --set dims.vocab_src=N, or train"},
             {{"variants", "count", "star-1", "--memory", "--set", "dims.vocab_src=4"},  // a ZeroDivisionError of LibTorch's
              "4 is out of range (variant, dims.vocab_src): use a whole number from 5 to 16777216"},
             {{"verify", "--golden", folder_ / "missing.json"}, "missing.json"},
             {{"data", "inspect", folder_ / "gone.txt"}, "gone.txt"}}) {
        const auto result = on(arguments);
        EXPECT_EQ(result.code, 3) << result.err;
        EXPECT_THAT(result.err, AllOf(StartsWith("heddle: "), HasSubstr(hint)));
        EXPECT_FALSE(std::filesystem::exists(file_)) << "a mistake must not leave a database";
    }
    const auto document = on({"train", folder_ / "missing.json", "--json"});
    EXPECT_EQ(document.json().at("schema"), "heddle.error/1");
    for (const char* key : {"code", "what", "where", "next"}) EXPECT_TRUE(document.json().contains(key)) << key;
}

TEST_F(CliTest, QuickVerificationAsksForTheCasesAlone) {
    std::vector<VerifyRequest> asked;
    engine_->verifier = [&](const VerifyRequest& request) {
        asked.push_back(request);
        return std::vector<VerifyCheck>{{"eau/y", VerifyCheck::Status::Pass, 0, ""}};
    };
    const auto verify = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"verify", "--json"});
        return runOn(file_, std::move(options), [engine = engine_] { return engine; });
    };
    for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--quick"}, {"--quick", "--device", "cuda:1"}})
        EXPECT_EQ(verify(options).json().at("passed"), 1);
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_TRUE(asked[0].isBeyondCases);
    EXPECT_FALSE(asked[1].isBeyondCases);
    EXPECT_FALSE(asked[2].isBeyondCases) << "so there are no training passes";
    EXPECT_EQ(asked[2].device, "cuda:1");
    EXPECT_EQ(asked[1].golden, asked[0].golden);
}

TEST_F(CliTest, OtherPeoplesFilesAreNotTouched) {
    write("t.heddle",
          "this is a letter to my aunt, and longer than a header of SQLite would be; it has to stay as it is........");
    const auto before = sha256OfFile(file_);
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"runs", "list"}, {"runs", "delete", "x"}, {"resume", "x"}}) {
        const auto result = on(arguments);
        EXPECT_EQ(result.code, 3) << result.err;
        EXPECT_THAT(result.err, HasSubstr("t.heddle"));
    }
    EXPECT_EQ(sha256OfFile(file_), before);
}

TEST_F(CliTest, AMissingDatabaseIsSaid) {
    const auto result = on({"runs", "list"});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.err, HasSubstr("no run database"));
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(CliTest, RunsAreListedShownTaggedAndDeleted) {
    const auto runs = train({"base", "full"});
    const auto list = on({"runs", "list", "--json"}).json();
    EXPECT_EQ(list.at("schema"), "heddle.runs/1");
    EXPECT_EQ(list.at("runs").size(), 2U);

    const auto shown = on({"runs", "show", "base", "--json"}).json();
    EXPECT_TRUE(shown.at("spec").contains("variant"));
    EXPECT_EQ(shown.at("schema"), "heddle.run/1");
    EXPECT_EQ(shown.at("run"), runs[0]);
    EXPECT_EQ(shown.at("state"), "completed");
    EXPECT_EQ(shown.at("steps"), 20);
    for (const char* key :
         {"name", "database", "variant_hash", "run_hash", "seed", "epochs", "seconds", "training_seconds", "seconds_per_epoch",
          "best_metric", "steps_to_best", "seconds_to_best", "checkpoints", "evaluations"})
        EXPECT_TRUE(shown.contains(key)) << key;
    EXPECT_EQ(shown.at("checkpoints").at(0).at("weights_sha256").get<std::string>().size(), 64U);
    EXPECT_TRUE(std::filesystem::exists(shown.at("checkpoints").at(0).at("path").get<std::string>()));
    EXPECT_THAT(on({"runs", "show", runs[0].substr(0, 6)}).out,
                AllOf(HasSubstr(runs[0]), HasSubstr("completed"), HasSubstr("\ntraining 0 s\n"), HasSubstr("attempts")));

    EXPECT_EQ(on({"runs", "tag", "base", "paper", "draft"}).code, 0);
    EXPECT_EQ(on({"runs", "tag", "base", "--remove", "draft"}).out, "paper\n");
    EXPECT_EQ(on({"runs", "trash", "base"}).out, "trashed " + runs[0] + "\n");
    EXPECT_EQ(on({"runs", "list", "--json"}).json().at("runs").size(), 1U);
    EXPECT_EQ(on({"runs", "list", "--all", "--json"}).json().at("runs").at(0).at("trashed"), true);
    EXPECT_THAT(on({"runs", "list", "--all"}).out, HasSubstr("completed, in the trash"));
    EXPECT_EQ(on({"runs", "restore", "base"}).code, 0);
    EXPECT_EQ(on({"runs", "list", "--json"}).json().at("runs").size(), 2U);
    EXPECT_EQ(on({"runs", "delete", "base"}).code, 0);
    EXPECT_EQ(on({"runs", "show", "base"}).code, 2);
    EXPECT_EQ(on({"runs", "list", "--json"}).json().at("runs").size(), 1U);
}

TEST_F(CliTest, AnAmbiguousRunNamesTheCandidates) {
    const auto runs = train({"same", "same"});
    const auto result = on({"runs", "show", "same"});
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr(runs[0]), HasSubstr(runs[1])));
}

TEST_F(CliTest, CompareShowsDifferencesAndDrawsCurves) {
    engine_->evaluations = [](const RunSpec&) {
        EvaluationDone done;
        done.split = "valid";
        done.values = {{"loss", 0.5, "mse|per:example", 10}};
        return std::vector{done};
    };
    train({"base"});
    {
        const auto session = open();
        RunSpec spec = smallSpec("other", 20);
        spec.seed = 7;
        spec.train.lr = 0.5;
        const auto run = session->submit(spec);
        ASSERT_TRUE(ends(*session, run));
    }
    const auto svg = folder_ / "curves.svg";
    const auto compared = on({"compare", "base", "other", "--json", "--svg", svg}).json();
    EXPECT_EQ(compared.at("schema"), "heddle.compare/1");
    EXPECT_EQ(compared.at("baseline"), compared.at("runs").at(0).at("run"));
    std::vector<std::string> paths;
    for (const auto& d : compared.at("spec_differences")) paths.push_back(d.at("path"));
    EXPECT_THAT(paths, Contains(HasSubstr("lr")));
    EXPECT_THAT(paths, Contains("seed"));
    std::ifstream file(svg);
    const std::string picture{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(picture, AllOf(StartsWith("<svg "), HasSubstr("loss (squared error per example)"), Not(HasSubstr("nats")),
                               HasSubstr("other"), HasSubstr("</svg>")));
    EXPECT_THAT(on({"compare", "base", "other"}).out, HasSubstr("spec differences"));
    EXPECT_EQ(on({"compare", "base", "base"}).code, 2);
    EXPECT_EQ(on({"compare", "base", "nobody"}).code, 2);
    EXPECT_EQ(on({"compare", "base", "other", "--svg", folder_ / "no/folder/x.svg"}).code, 1);
}

TEST_F(CliTest, AnOwnedDatabaseIsNamedAndCanStillBeReadAndEdited) {
    train({"base"});
    RunSession owner(sessionOptions("the other trainer"));
    EXPECT_EQ(on({"runs", "list"}).code, 0);
    EXPECT_EQ(on({"runs", "tag", "base", "x"}).out, "x\n");
    const auto enqueued = on({"train", spec(), "--enqueue", "--json", "--set", "train.device=cpu"});
    EXPECT_EQ(enqueued.code, 0) << enqueued.err;
    EXPECT_THAT(enqueued.err, HasSubstr("the other trainer"));
    EXPECT_EQ(enqueued.json().at("schema"), "heddle.run/1");
}

TEST_F(CliTest, VariantsAndBlocksSpeakWithoutTorchOrDatabase) {
    const auto presets = cli({"variants", "list", "--json"}).json();
    EXPECT_GE(presets.at("variants").size(), 2U);
    // Table 3 of the EAU/GRC paper, to the last digit.
    const std::vector<std::string> sizes{"--set", "dims.d=128",          "--set", "dims.f=512",
                                         "--set", "dims.layers_enc=2",   "--set", "dims.layers_dec=2",
                                         "--set", "dims.vocab_src=5893", "--set", "dims.vocab_tgt=7853"};
    const auto count = [&](const std::string& preset) {
        std::vector<std::string> arguments{"variants", "count", preset, "--json"};
        arguments.insert(arguments.end(), sizes.begin(), sizes.end());
        return cli(arguments).json();
    };
    EXPECT_EQ(count("eau-base").at("parameters"), 3698221);
    EXPECT_EQ(count("eau-full").at("parameters"), 4061869);
    EXPECT_EQ(count("eau-full").at("schema"), "heddle.count/1");
    EXPECT_FALSE(count("eau-full").at("modules").empty());
    EXPECT_THAT(cli({"variants", "diff", "eau-base", "eau-full"}).out, HasSubstr("residual"));
    EXPECT_THAT(cli({"variants", "check", "eau-base"}).out, StartsWith("valid"));
    EXPECT_THAT(cli({"blocks", "show", "grc"}).out, HasSubstr("σ"));
    EXPECT_FALSE(cli({"blocks", "list", "--json"}).json().at("blocks").empty());
}

TEST_F(CliTest, AFolderHidesNoPreset) {
    namespace fs = std::filesystem;
    const fs::path before = fs::current_path();
    fs::create_directory(folder_ / "eau-base");
    fs::current_path(folder_ / "");
    const auto shown = runCommand({"variants", "check", "eau-base"});
    const auto other = runCommand({"variants", "check", "."});
    fs::current_path(before);
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(other.code, 3);
    EXPECT_THAT(other.err, HasSubstr("no such file or preset"));
}

TEST_F(CliTest, EveryKindOfTokenizerTrainsEncodesAndDecodes) {
    const auto text =
        write("en.txt", "A man sleeps.\nA man runs.\nA woman sleeps.\nThe woman runs home.\nThe man is home.\nA home runs.\n");
    for (const std::string kind : {"words", "characters", "wordpiece", "sentencepiece"}) {
        const auto trained = cli({"tokenizer", "train", text, "--kind", kind, "--vocab-size", "24", "--min-count", "1",
                                  "--lower", "--mask", "--out", folder_ / (kind + "/"), "--json"});
        ASSERT_EQ(trained.code, 0) << trained.err;
        const std::string file = folder_ / (kind + "/tokenizer" + (kind == "sentencepiece" ? ".model" : ".json"));
        EXPECT_EQ(trained.json().at("file"), file);
        EXPECT_EQ(trained.json().at("report").at("texts")[0].at("coverage"), 1.0);
        const auto ids = cli({"tokenizer", "encode", "--tokenizer", file, "--ids", "A man runs."}).out;
        EXPECT_EQ(cli({"tokenizer", "decode", "--tokenizer", file, ids}).out,
                  kind == "wordpiece" ? "a man runs .\n" : "a man runs.\n");
    }
    EXPECT_EQ(cli({"tokenizer", "encode", "--tokenizer", folder_ / "characters/tokenizer.json", "a man"}).out, "a ▁ m a n\n");
    const auto vocab = write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nman\na\n");
    EXPECT_EQ(cli({"tokenizer", "encode", "--tokenizer", vocab, "--lower", "--publisher-ids", "A man runs"}).out, "6 5 1\n");
    for (const char* option : {"--kind", "--split", "--model"})
        EXPECT_EQ(cli({"tokenizer", "train", text, option, "letters", "--out", "x"}).code, 2) << option;
}

TEST_F(CliTest, TokenizersAndDataNeedNeither) {
    const auto text = write("en.txt", "a man sleeps\na man runs\n");
    const auto out = folder_ / "en.json";
    EXPECT_EQ(cli({"tokenizer", "train", text, "--out", out, "--min-count", "1"}).code, 0);
    EXPECT_EQ(cli({"tokenizer", "encode", "--tokenizer", out, "a man flies"}).out, "a man <unk>\n");
    const auto ids = cli({"tokenizer", "encode", "--tokenizer", out, "--ids", "a man runs"}).out;
    EXPECT_EQ(cli({"tokenizer", "decode", "--tokenizer", out, ids}).out, "a man runs\n");
    EXPECT_EQ(cli({"tokenizer", "decode", "--tokenizer", out, "99"}).code, 3);
    EXPECT_EQ(cli({"tokenizer", "decode", "--tokenizer", out, "x"}).code, 3);
    EXPECT_EQ(cli({"tokenizer", "encode", "--tokenizer", out, "--stats", "a man flies"}).out,
              "vocabulary: words, 8 entries; input: 3 tokens in 1 lines, 66.67 % known, 33.33 % unknown, entries used: 2\n");
    EXPECT_THAT(cli({"data", "inspect", text}).out, HasSubstr("2 lines"));
    EXPECT_EQ(cli({"data", "inspect", text, "--json"}).json().at("schema"), "heddle.data/1");
    write("bad.txt", "ok\nbad \xff byte\n");
    const auto bad = cli({"data", "inspect", folder_ / "bad.txt"});
    EXPECT_EQ(bad.code, 3);
    EXPECT_THAT(bad.err, HasSubstr("bad.txt"));
}

TEST_F(CliTest, DoctorSaysWhatIsMissing) {
    setenv("HEDDLE_LIBTORCH", (folder_ / "nowhere").c_str(), 1);
    const auto result = cli({"doctor", "--json"});
    unsetenv("HEDDLE_LIBTORCH");
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.json().at("schema"), "heddle.doctor/1");
    EXPECT_EQ(result.json().at("ready"), false);
    EXPECT_THAT(result.out, HasSubstr("run heddle setup"));
}

TEST_F(CliTest, DoctorNamesTheVersionWithWhatWasFound) {
    std::filesystem::create_directories(folder_ / "torch/lib");
    write("torch/lib/libtorch_cpu.so", "");
    write("torch/version.py", "__version__ = '2.11.0+cpu'\n");
    setenv("HEDDLE_LIBTORCH", (folder_ / "torch").c_str(), 1);
    const Json findings = cli({"doctor", "--json"}).json().at("findings");
    unsetenv("HEDDLE_LIBTORCH");
    const Json expected{{"what", "LibTorch"}, {"found", folder_ / "torch" + " (2.11.0+cpu)"}, {"problem", ""}, {"next", ""}};
    EXPECT_THAT(findings, Contains(expected));
}

TEST_F(CliTest, CompletionKnowsTheCommands) {
    for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_THAT(cli({"completion", shell}).out, HasSubstr("tokenizer"));
}

}  // namespace
}  // namespace heddle::app
