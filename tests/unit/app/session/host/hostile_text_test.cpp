// SPDX-License-Identifier: Apache-2.0
// Names, keys, metrics, tags and owners that hold terminal controls: no command passes one of them on.
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

namespace heddle::app {
namespace {

using testing::HasSubstr;

/// Escape sequence, C1 control, bidirectional controls, carriage return, line feed.
const std::string kHostile =
    "a\x1b]0;owned\x07\x1b[31mb\xC2\x9B"
    "31mc\u202ed\u2066e\u200ff\r\ng";

/// Raw controls but tab and line feed, DEL, C1, bidirectional controls, bytes that are no UTF-8 at all.
bool isPlain(const std::string& text) {
    static const std::regex kRaw(
        "[\\x01-\\x08\\x0B-\\x1F\\x7F]|\xC2[\x80-\x9f]|\xE2\x80[\x8e\x8f\xaa-\xae]|\xE2\x81[\xa6-\xa9]|\xD8\x9c|\xff");
    return !std::regex_search(text, kRaw);
}

class HostileText : public testing::Test, protected SessionFixture {
protected:
    HostileText() {
        engine_->evaluations = [](const RunSpec&) {
            EvaluationDone done;
            done.split = "valid";
            done.values = {{kHostile, 0.5, kHostile, 3}, {"bleu", 1, "x" + kHostile, 3}};
            return std::vector{done};
        };
    }
    CommandResult on(const std::vector<std::string>& arguments) const {
        auto result = runOn(file_, arguments);
        for (const std::string& text : {result.out, result.err})
            EXPECT_TRUE(isPlain(text)) << arguments[0] << " " << arguments[1] << ": " << text;
        return result;
    }
    std::vector<std::string> train(std::size_t count) const {
        RunSession session(sessionOptions(kHostile));
        std::vector<std::string> runs;
        for (std::size_t i = 0; i < count; ++i) runs.push_back(session.submit(smallSpec(kHostile, 20)));
        EXPECT_TRUE(ends(session, runs.back()));
        return runs;
    }
    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
};

TEST_F(HostileText, OfADatabaseIsWrittenOutByEveryCommandThatReadsIt) {
    const auto runs = train(2);
    on({"runs", "tag", runs[0], kHostile});
    EXPECT_THAT(on({"runs", "list"}).out, HasSubstr("a\\x1B]0;owned"));
    const std::string shown = on({"runs", "show", runs[0]}).out;
    EXPECT_THAT(shown, HasSubstr("\\u009b31mc\\u202ed\\u2066e\\u200ff\\x0D\\x0Ag")) << "and no line is forged";
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"runs", "list", "--all"},
                                               {"runs", "list", "--json"},
                                               {"runs", "show", runs[0], "--json"},
                                               {"runs", "show", kHostile},
                                               {"compare", runs[0], runs[1]},
                                               {"compare", runs[0], runs[1], "--json"},
                                               {"runs", "gradients", runs[0]},
                                               {"runs", "tag", runs[0]},
                                               {"runs", "trash", runs[0]},
                                               {"runs", "export", folder_ / "x.heddle"}})
        on(arguments);
    const Json document = on({"runs", "show", runs[0], "--json"}).json();
    EXPECT_EQ(document.at("name"), kHostile) << "escapes of JSON say the same text";
}

TEST_F(HostileText, OfAnOwnerIsWrittenOut) {
    train(1);
    RunSession owner(sessionOptions(kHostile));
    const std::string data = write("a.txt", "a b\nc d\n");
    const Json spec{{"variant", {{"preset", "eau-base"}}}, {"data", {{"train", {{"source", data}, {"target", data}}}}}};
    const std::string file = write("s.json", spec.dump());
    EXPECT_THAT(on({"train", file, "--enqueue", "--set", "train.device=cpu"}).err, HasSubstr("queued with a\\x1B"));
    EXPECT_EQ(on({"train", file, "--set", "train.device=cpu"}).code, 1);
}

TEST_F(HostileText, OfArgumentsAndSpecsIsWrittenOut) {
    const Json key(kHostile);
    const std::string inner = write("inner.json", R"({"variant":{"preset":"eau-base"},"train":{)" + key.dump() + ":1}}");
    const std::string outer = write("outer.json", "{" + key.dump() + ":1}");
    const std::string value = write("value.json", R"({"variant":{"preset":)" + key.dump() + R"(},"name":)" + key.dump() + "}");
    const std::string twice = write("twice.json", "{" + key.dump() + ":1," + key.dump() + ":2}");
    const std::string broken = write("broken.json", "{\"a\x1b[31m\xC2\x9B\xff");
    for (const std::string& file : {inner, outer, value, twice, broken, kHostile}) {
        EXPECT_EQ(on({"variants", "check", file}).code, 3);
        EXPECT_EQ(on({"variants", "check", file, "--json"}).code, 3);
        EXPECT_EQ(on({"train", file}).code, 3);
    }
    on({"variants", "check", "eau-base", "--set", kHostile + "=1"});
    on({"variants", "check", "eau-base", "--set", "train.lr=" + kHostile});
    on({"variants", "diff", "eau-base", kHostile});
    on({kHostile, "x"});
    on({"runs", kHostile});
    on({"runs", "list", "--" + kHostile});
    on({"blocks", "show", kHostile});
    on({"completion", kHostile});
    on({"data", "inspect", kHostile});
    on({"data", "inspect", inner, "--format", kHostile});
    on({"tokenizer", "encode", "--tokenizer", kHostile, "a"});
    on({"verify", "--only", kHostile, "--golden", broken});
    on({"runs", "list", "--db", folder_ / kHostile});
}

}  // namespace
}  // namespace heddle::app
