// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/data_files.h"

#include "engine/base/temporary_folder.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle {
namespace {

using testing::HasSubstr;

class DataFiles : public testing::Test {
protected:
    DataFiles() {
        data_.task = "translation";
        data_.train = {file("a.en"), file("a.de")};
    }
    std::string file(const std::string& name) const {
        std::ofstream(folder_ / name) << "a\n";
        return folder_ / name;
    }
    std::string problem() const {
        return whyRefused([this] { requireDataFiles(data_); });
    }
    TemporaryFolder folder_;
    DataSpec data_;
};

TEST_F(DataFiles, AllOfThemMustExist) {
    EXPECT_EQ(problem(), "");
    data_.valid = {file("v.en"), file("v.de")};
    EXPECT_EQ(problem(), "");
    data_.test = {file("t.en"), folder_ / "absent.de"};
    EXPECT_THAT(problem(), HasSubstr("there is no such file (" + (folder_ / "absent.de") + ")"));
}

TEST_F(DataFiles, PairsHaveBothSides) {
    data_.valid.source = file("v.en");
    EXPECT_THAT(problem(), HasSubstr("a split needs a source and a target (" + (folder_ / "v.en") + ")"));
    data_.task = "classify";
    EXPECT_EQ(problem(), "") << "one file holds texts and labels";
    data_.task = "translation";
    data_.valid = {};
    data_.train.target.clear();
    EXPECT_THAT(problem(), HasSubstr("set data.train.source and data.train.target"));
}

TEST_F(DataFiles, GeneratedExamplesNeedNone) {
    data_ = {};
    data_.task = "classify";
    EXPECT_THAT(problem(), HasSubstr("no training data in the spec"));
    data_.format = "generated/agreement";
    EXPECT_EQ(problem(), "");
}

}  // namespace
}  // namespace heddle
