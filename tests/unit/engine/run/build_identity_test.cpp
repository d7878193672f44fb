// SPDX-License-Identifier: Apache-2.0
// The script that the build runs: a header that changes gives another identity, a tree that is moved the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

class BuildIdentity : public testing::Test {
protected:
    BuildIdentity() {
        std::string pattern = (fs::temp_directory_path() / "heddle-identity-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        copyTo("tree");
    }
    ~BuildIdentity() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    void copyTo(const std::string& tree) const {
        fs::create_directories(folder_ / tree / "engine/run");
        for (const char* header : {"engine.h", "events.h"})
            fs::copy_file(fs::path(HEDDLE_SOURCE_DIR) / "engine/run" / header, folder_ / tree / "engine/run" / header);
    }
    /// As the build computes it.
    std::string identity(const std::string& tree) const {
        const std::string root = (folder_ / tree).string(), output = root + "/identity.cpp";
        const std::string command = std::string(HEDDLE_CMAKE) + " -DOUTPUT=" + output +
                                    " -DFUNCTION=engineIdentity -DROOT=" + root + " \"-DHEADERS=" + root +
                                    "/engine/run/engine.h;" + root + "/engine/run/events.h\" -P " + HEDDLE_SOURCE_DIR +
                                    "/packaging/cmake/identity.cmake";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        std::ifstream file(output);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        std::smatch match;
        EXPECT_TRUE(std::regex_search(text, match, std::regex("engineIdentity\\(\\) \\{ return (0x[0-9a-f]{16}); \\}")))
            << text;
        return match.str(1);
    }

    fs::path folder_;
};

TEST_F(BuildIdentity, ChangesWithAHeaderAndNotWithThePlace) {
    const std::string before = identity("tree");
    EXPECT_EQ(identity("tree"), before);
    copyTo("moved");
    EXPECT_EQ(identity("moved"), before);
    std::ofstream(folder_ / "tree/engine/run/events.h", std::ios::app) << "struct Later {};\n";
    const std::string after = identity("tree");
    EXPECT_NE(after, before);
    fs::rename(folder_ / "moved/engine/run/engine.h", folder_ / "moved/engine/run/x.h");
    fs::rename(folder_ / "moved/engine/run/events.h", folder_ / "moved/engine/run/engine.h");
    fs::rename(folder_ / "moved/engine/run/x.h", folder_ / "moved/engine/run/events.h");
    EXPECT_NE(identity("moved"), before) << "names count";
}

}  // namespace
