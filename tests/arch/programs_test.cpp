// SPDX-License-Identifier: Apache-2.0
// Where the built programs and libraries look for the libraries that they need, as readelf shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::arch {
namespace {

namespace fs = std::filesystem;

/// The elements of a search path that depend on the folder that a user is in. `listing`: what `readelf -d` prints.
std::vector<std::string> currentFolders(const std::string& listing) {
    std::vector<std::string> found;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("(RPATH)") == std::string::npos && line.find("(RUNPATH)") == std::string::npos) continue;
        const auto begin = line.find('[') + 1;
        // The end of a path is an element, too, which std::getline() does not give where it is empty.
        std::istringstream path(line.substr(begin, line.rfind(']') - begin) + ":/");
        for (std::string element; std::getline(path, element, ':');)
            if (element.rfind("/", 0) != 0 && element.rfind("$ORIGIN", 0) != 0) found.push_back(line);
    }
    return found;
}

std::string readelf(const fs::path& file) {
    std::string text;
    FILE* const program = ::popen(("readelf -d '" + file.string() + "' 2>&1").c_str(), "r");
    for (int c = std::fgetc(program); c != EOF; c = std::fgetc(program)) text += static_cast<char>(c);
    EXPECT_EQ(::pclose(program), 0) << text;
    return text;
}

bool isBinary(const fs::path& file) {
    std::string magic(4, ' ');
    std::ifstream(file).read(magic.data(), 4);
    return magic ==
           "\x7f"
           "ELF";
}

TEST(Programs, EmptyAndRelativeSearchPathsAreFound) {
    const auto path = [](const std::string& elements) { return " 0x1d (RUNPATH) Library runpath: [" + elements + "]\n"; };
    EXPECT_THAT(currentFolders(path("$ORIGIN/../lib:/usr/lib")), testing::IsEmpty());
    EXPECT_THAT(currentFolders(path("$ORIGIN/../lib:")), testing::SizeIs(1));
    EXPECT_THAT(currentFolders(path(":/usr/lib")), testing::SizeIs(1));
    EXPECT_THAT(currentFolders(path("lib")), testing::SizeIs(1));
    EXPECT_THAT(currentFolders(" 0x1 (NEEDED) Shared library: [libz.so.1]\n"), testing::IsEmpty());
}

TEST(Programs, LookForLibrariesInNoFolderThatAUserIsIn) {
    int seen = 0;
    for (const char* folder : {"bin", "lib"})
        for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_BINARY_DIR) / folder)) {
            if (!entry.is_regular_file() || !isBinary(entry.path())) continue;
            EXPECT_THAT(currentFolders(readelf(entry.path())), testing::IsEmpty()) << entry.path();
            ++seen;
        }
    EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace heddle::arch
