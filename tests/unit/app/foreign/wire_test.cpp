// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/wire.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

constexpr std::size_t kFirstRecord = 40;  // bytes of the first record of a TensorBoard file, with its checksums

std::int64_t recordsOf(const std::string& path) {
    RecordReader reader(path);
    std::int64_t records = 0;
    for (std::string record; reader.next(record);) ++records;
    return records;
}

TEST(RecordReader, RefusesAPackedFileOfFarMoreRecordsThanItHasBytes) {
    const std::string events =
        readWholeFile(HEDDLE_SOURCE_DIR "/tests/unit/app/foreign/cases/board/simple/events.out.tfevents.1");
    std::string many;
    for (int i = 0; i < 1'000'001; ++i) many += events.substr(0, kFirstRecord);
    const testing_support::TempFolder folder;
    EXPECT_EQ(recordsOf(folder.write("plain.tfevents", many)), 1'000'001) << "plain bytes are what they are";
    try {
        recordsOf(folder.writeGzip("packed.tfevents", many));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("unpacks to more than 1000001 records"), std::string::npos) << error.what();
    }
    many.resize(1000 * kFirstRecord);
    EXPECT_EQ(recordsOf(folder.writeGzip("few.tfevents", many)), 1000);
}

}  // namespace
}  // namespace heddle::app
