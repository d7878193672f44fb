// SPDX-License-Identifier: Apache-2.0
// The script that the build runs: a header that changes gives another identity, a tree that is moved the same.
#include "engine/base/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

class BuildIdentity : public testing::Test {
protected:
    BuildIdentity() { copyTo("tree"); }
    void copyTo(const std::string& tree) const {
        const fs::path headers = folder_ / (tree + "/engine/run");
        fs::create_directories(headers);
        for (const char* header : {"engine.h", "events.h"})
            fs::copy_file(fs::path(HEDDLE_SOURCE_DIR) / "engine/run" / header, headers / header);
    }
    /// As the build computes it.
    std::string identity(const std::string& tree) const {
        const std::string root = folder_ / tree, output = root + "/identity.cpp";
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

    heddle::TemporaryFolder folder_;
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
