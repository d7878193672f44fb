// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/exchange.h"

#include "app/session/requests/averages.h"
#include "app/session/runs/checkpoint_folders.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ExchangeTest : public testing::Test, protected SessionFixture {
protected:
    ImportedModel import(const std::string& name) const {
        const auto owner = ownDatabase(file_, "test", "");
        return importModel(*owner, *engine_, {"/models/bert", "", name, {}});
    }
    ChosenCheckpoint chosen(const std::string& run) const {
        return chooseCheckpoint(*query(), file_, *query()->run(run), "best");
    }
    std::string artifacts() const { return storage::artifactFolder(file_); }
    /// Entries of a folder.
    static std::size_t entries(const std::string& folder) {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
};

TEST_F(ExchangeTest, ImportedWeightsAreACompletedRunWithACheckpoint) {
    const ImportedModel imported = import("bert");
    const storage::RunRecord run = *query()->run(imported.run);
    EXPECT_EQ(run.name, "bert");
    EXPECT_EQ(run.state, "completed");
    EXPECT_THAT(run.reason, HasSubstr("/models/bert"));
    const auto checkpoints = query()->checkpoints(run.id);
    ASSERT_EQ(checkpoints.size(), 2U);
    for (const auto& one : checkpoints) EXPECT_EQ(checkpointProblem(artifacts(), one), "");
    EXPECT_EQ(chosen(run.id).record.step, 0);
    std::vector<std::string> texts;
    for (const auto& event : query()->events(run.id)) texts.push_back(event.text);
    EXPECT_THAT(texts, Contains("a note"));
}

TEST_F(ExchangeTest, AFailedImportLeavesNothing) {
    engine_->importFails = true;
    EXPECT_THROW(import("bert"), Error);
    EXPECT_TRUE(query()->runs().empty());
    EXPECT_TRUE(!fs::exists(artifacts()) || entries(artifacts()) == 0);
}

TEST_F(ExchangeTest, ExportWritesAllOrNothing) {
    const ImportedModel imported = import("bert");
    const fs::path to = fs::path(file_).parent_path() / "out";
    EXPECT_THAT(exportModel(chosen(imported.run), *engine_, to.string() + "/", std::nullopt).files,
                ElementsAre("weights.safetensors", "spec.json"));
    EXPECT_TRUE(fs::is_regular_file(to / "weights.safetensors"));
    EXPECT_THROW(exportModel(chosen(imported.run), *engine_, to.string(), std::nullopt), Error) << "it is there already";
    const std::string file = to.string() + ".safetensors";
    exportModel(chosen(imported.run), *engine_, file, std::nullopt);
    EXPECT_TRUE(fs::is_regular_file(file));
    const std::size_t before = entries(to.parent_path().string());
    engine_->exportFails = true;
    EXPECT_THROW(exportModel(chosen(imported.run), *engine_, to.string() + "-hf", PublishedForm::Bert), Error);
    EXPECT_EQ(entries(to.parent_path().string()), before);
    engine_->exportFails = false;
    EXPECT_THAT(exportModel(chosen(imported.run), *engine_, to.string() + "-hf", PublishedForm::Bert).files,
                ElementsAre("config.json"));
}

}  // namespace
}  // namespace heddle::app
