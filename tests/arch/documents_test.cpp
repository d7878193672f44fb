// SPDX-License-Identifier: Apache-2.0
// The guide and the sources that it speaks of. Its commands are run by tests/docs/run.py.
#include "tests/arch/rules.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

using namespace heddle::arch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::filesystem::path kRoot = HEDDLE_SOURCE_DIR;

/// `text` without what stands between two marks of three backticks.
std::string proseOf(const std::string& text) {
    std::string prose;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t code = std::min(text.find("```", from), text.size());
        prose += text.substr(from, code - from);
        const std::size_t end = text.find("```", std::min(code + 3, text.size()));
        from = end == std::string::npos ? text.size() : end + 3;
    }
    return prose;
}

/// Links and pictures of Markdown files that name no file below `root`; links to the web are left alone.
Violations brokenLinks(const SourceTree& files, const std::filesystem::path& root) {
    static const std::regex kLink(R"(\]\(([^)\s#]+)[^)]*\))");
    Violations found;
    for (const SourceFile& file : files) {
        if (!file.path.ends_with(".md")) continue;
        const std::string prose = proseOf(file.text);
        for (std::sregex_iterator it(prose.begin(), prose.end(), kLink), end; it != end; ++it) {
            const std::string target = (*it)[1];
            if (target.find("://") != std::string::npos) continue;
            if (!std::filesystem::exists(root / std::filesystem::path(file.path).parent_path() / target))
                found.push_back(file.path + ": " + target + " does not exist");
        }
    }
    return found;
}

std::string textOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST(Documents, BrokenLinksAreFound) {
    EXPECT_THAT(brokenLinks({{"docs/a.md",
                              "[b](b.md) and [r](../README.md#licence), [w](https://example.org)\n```\n[&](auto x)\n```\n"}},
                            kRoot),
                ElementsAre(HasSubstr("b.md does not exist")));
}

TEST(Documents, LinksHaveTheirFiles) {
    const SourceTree files = readTracked(HEDDLE_SOURCE_DIR);
    if (files.empty()) GTEST_SKIP() << "git does not answer here";
    EXPECT_THAT(brokenLinks(files, kRoot), IsEmpty());
}

TEST(Documents, TheTutorialHasTheBlockThatIsTested) {
    const std::string block = textOf(kRoot / "tests/toy_block/half.cpp");
    ASSERT_FALSE(block.empty());
    EXPECT_THAT(textOf(kRoot / "docs/own_block.md"), HasSubstr("```cpp\n" + block + "```\n"));
}
