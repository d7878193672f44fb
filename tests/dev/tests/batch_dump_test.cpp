// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/batch_dump.h"

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "engine/bench/workload_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void writeFile(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// A file as peers.py --dump-batches writes it.
class DumpFile {
public:
    DumpFile& add(const std::string& workload, int batch, const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int32_t>& values) {
        arrays_.push_back(
            {{"workload", workload}, {"batch", batch}, {"name", name}, {"shape", shape}, {"offset", data_.size()}});
        const std::size_t at = data_.size();
        data_.resize(at + values.size() * sizeof(std::int32_t));
        std::memcpy(data_.data() + at, values.data(), values.size() * sizeof(std::int32_t));
        data_.resize((data_.size() + 63) / 64 * 64);
        return *this;
    }
    std::string write(const TemporaryFolder& folder) const {
        std::string head = Json{{"format", "peer-batches-1"}, {"arrays", arrays_}}.dump();
        head.resize((head.size() + 64) / 64 * 64 - 1, ' ');
        std::string path = folder / "batches.bin";
        writeFile(path, head + "\n" + data_);
        return path;
    }

private:
    Json arrays_ = Json::array();
    std::string data_;
};

TEST(BatchDump, PairsAreReadWithTheirPadding) {
    const TemporaryFolder folder;
    DumpFile file;
    file.add("W1", 0, "src", {2, 3}, {7, 8, 9, 5, 6, 1}).add("W1", 0, "tin", {2, 2}, {2, 11, 2, 1});
    file.add("W1", 0, "tout", {2, 2}, {11, 3, 3, 1}).add("W1", 0, "src_len", {2}, {3, 2});
    const auto batches = BatchDump(file.write(folder)).batches("W1");
    ASSERT_EQ(batches.size(), 1U);
    const Batch& b = batches.front();
    EXPECT_EQ(std::tuple(b.rows, b.sourceWidth, b.targetWidth), std::tuple(2, 3, 2));
    EXPECT_THAT(b.source, ElementsAre(7, 8, 9, 5, 6, kPad));
    EXPECT_THAT(b.targetIn, ElementsAre(kSos, 11, kSos, kPad));
    EXPECT_THAT(b.positions, ElementsAre(0, 1, 2));
    EXPECT_THAT(b.labels, ElementsAre(11, kEos, kEos));
    EXPECT_EQ(std::tuple(b.sourceTokens, b.labelCount), std::tuple(5, 3));
    EXPECT_THAT(rowLengths(b).source, ElementsAre(3, 2));
    EXPECT_THAT(rowLengths(b).target, ElementsAre(2, 1));
}

TEST(BatchDump, RowsOfMaskedWordsNextWordsAndClassesAreRead) {
    const TemporaryFolder folder;
    DumpFile file;
    file.add("W3-128", 0, "ids", {1, 4}, {4, 5, 6, 7}).add("W3-128", 0, "pos", {1}, {0}).add("W3-128", 0, "lab", {1}, {9});
    file.add("W3-128", 0, "labels", {1, 4}, {9, -100, -100, -100});
    file.add("W4", 0, "ids", {1, 3}, {5, 6, 7}).add("W4", 0, "labels", {1, 3}, {6, 7, 8});
    file.add("W7", 1, "ids", {2, 2}, {5, 6, 7, 8}).add("W7", 1, "labels", {2}, {0, 14});
    const BatchDump dump(file.write(folder));
    const Batch masked = dump.batches("W3-128").front(), next = dump.batches("W4").front(),
                classes = dump.batches("W7").front();
    EXPECT_THAT(masked.positions, ElementsAre(0));
    EXPECT_THAT(masked.labels, ElementsAre(9));
    EXPECT_EQ(masked.workTokens(), 4);
    EXPECT_THAT(next.targetIn, ElementsAre(5, 6, 7));
    EXPECT_THAT(next.positions, ElementsAre(0, 1, 2));
    EXPECT_EQ(next.workTokens(), 3);
    EXPECT_THAT(rowLengths(next).source, ElementsAre(3));
    EXPECT_THAT(classes.labels, ElementsAre(0, 14));
    EXPECT_TRUE(classes.positions.empty());
    EXPECT_EQ(classes.workTokens(), 4);
}

TEST(BatchDump, WhatDoesNotFitIsToldWithTheFile) {
    const TemporaryFolder folder;
    const auto told = [](const auto& action) -> std::string {
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
            return error.problem() + " | " + error.where() + " | " + error.next();
        }
        return "nothing";
    };
    DumpFile file;
    file.add("W1", 0, "src", {1, 2}, {5, 6});
    const std::string path = file.write(folder);
    EXPECT_THAT(told([&] { BatchDump(path).batches("W6"); }), HasSubstr("no batches of workload \"W6\" | " + path));
    EXPECT_THAT(told([&] { BatchDump(path).batches("W1"); }), HasSubstr("array \"tin\" is missing"));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 60);
    EXPECT_THAT(told([&] { BatchDump(path).batches("W1"); }), HasSubstr("truncated"));
    writeFile(path, "{\"format\":\"other\"}\n");
    EXPECT_THAT(told([&] { BatchDump dump(path); }), HasSubstr("not of format peer-batches-1"));
    EXPECT_THAT(told([&] { BatchDump dump(folder / "none"); }), HasSubstr("cannot read"));
}

}  // namespace
}  // namespace heddle
