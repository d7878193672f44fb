// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"

#include "engine/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

TEST(ReadWholeFile, ReturnsAllBytes) {
    const TemporaryFolder folder;
    const std::string bytes("a\0\n\xFF", 4);
    std::ofstream(folder / "file", std::ios::binary) << bytes;
    EXPECT_EQ(readWholeFile(folder / "file"), bytes);
    EXPECT_EQ(tryReadWholeFile(folder / "file"), bytes);
    std::ofstream(folder / "empty");
    EXPECT_EQ(tryReadWholeFile(folder / "empty"), "");
}

TEST(ReadWholeFile, SaysWhyNotAndWhatToDo) {
    const TemporaryFolder folder;
    const auto refused = [](const char* problem, const std::string& path) {
        return Throws<Error>(AllOf(Property(&Error::code, ErrorCode::InvalidInput),
                                   Property(&Error::problem, HasSubstr(problem)), Property(&Error::where, path),
                                   Property(&Error::next, "use another")));
    };
    const std::string missing = folder / "missing", fifo = folder / "fifo";
    EXPECT_THAT([&] { readWholeFile(missing, "use another"); }, refused("cannot be read: No such file", missing));
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_THAT([&] { readWholeFile(fifo, "use another"); }, refused("not a regular file", fifo));
    EXPECT_THAT([&] { readWholeFile(folder.path(), "use another"); }, refused("not a regular file", folder.path()));
    EXPECT_EQ(tryReadWholeFile(missing), std::nullopt);
    EXPECT_EQ(tryReadWholeFile(fifo), std::nullopt);
}

}  // namespace
}  // namespace heddle
