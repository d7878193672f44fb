// SPDX-License-Identifier: Apache-2.0
// What a shell offers after Tab, asked of bash itself.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace heddle::integration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// $1: the folder to be in, $2: the line.
constexpr const char* kScript = R"(cd "$1"
source <(heddle completion bash)
COMP_WORDS=($2)
[ "${2: -1}" = ' ' ] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_heddle 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
)";

/// What bash would offer where the cursor stands at the end of `line`: "heddle resume ti".
std::vector<std::string> offered(const Workshop& shop, const std::string& line) {
    const std::string environment = "PATH='" HEDDLE_BINARY_DIR "/bin':$PATH HEDDLE_DB=" + Workshop::database();
    const std::string command =
        environment + " bash '" + shop.write("complete.sh", kScript) + "' '" + (shop / "").string() + "' '" + line + "'";
    std::string text;
    FILE* const bash = ::popen(command.c_str(), "r");
    for (int c = std::fgetc(bash); c != EOF; c = std::fgetc(bash)) text += static_cast<char>(c);
    ::pclose(bash);
    std::vector<std::string> words;
    std::istringstream lines(text);
    for (std::string word; std::getline(lines, word);)
        if (!word.empty()) words.push_back(word);
    return words;
}

TEST(Completion, OffersCommandsRunsPresetsAndKeys) {
    const Workshop shop;
    shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "2"});
    const std::string id = shop.onlyRun().at("run");
    EXPECT_THAT(offered(shop, "heddle res"), ElementsAre("resume"));
    EXPECT_THAT(offered(shop, "heddle resume ti"), ElementsAre("tiny"));
    EXPECT_THAT(offered(shop, "heddle resume " + id.substr(0, 4)), ElementsAre(id));
    EXPECT_THAT(offered(shop, "heddle runs show "), IsSupersetOf({std::string("tiny"), id}));
    EXPECT_THAT(offered(shop, "heddle translate --run t"), ElementsAre("tiny"));
    EXPECT_THAT(offered(shop, "heddle inspect t"), ElementsAre("tiny"));
    EXPECT_THAT(offered(shop, "heddle inspect tiny --ra"), ElementsAre("--rank"));
    EXPECT_THAT(offered(shop, "heddle train eau-f"), ElementsAre("eau-full"));
    EXPECT_THAT(offered(shop, "heddle train spe"), ElementsAre("spec.json"));
    EXPECT_THAT(offered(shop, "heddle train eau-full --set train.sched"),
                IsSupersetOf({std::string("train.schedule.kind="), std::string("train.schedule.warmup=")}));
    EXPECT_THAT(offered(shop, "heddle train eau-full --st"), ElementsAre("--steps"));
    EXPECT_THAT(offered(shop, "heddle train eau-full --"), Not(Contains("tiny")));
}

/// The name of a run may come from a stranger's database.
TEST(Completion, RunsNoNameOfARun) {
    const Workshop shop;
    for (const char* name : {"$(touch ran)", "`touch ran`", "a$(touch ran)", "two words", "*"})
        shop.must({"train", shop / "spec.json", "--name", name, "--steps", "1"});
    EXPECT_THAT(offered(shop, "heddle runs show "),
                IsSupersetOf({std::string("$(touch ran)"), std::string("`touch ran`"), std::string("a$(touch ran)"),
                              std::string("two words"), std::string("*")}));
    EXPECT_THAT(offered(shop, "heddle runs show tw"), ElementsAre("two words"));
    EXPECT_FALSE(std::filesystem::exists(shop / "ran"));
}

}  // namespace
}  // namespace heddle::integration
