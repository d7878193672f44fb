// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/host/run_session.h"
#include "engine/analysis/recipe.h"
#include "storage/run_query.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

/// A file of a recipe that the data folder lacks.
struct MissingFile {
    std::string name;                ///< "multi30k:train.en"
    std::vector<std::string> names;  ///< the publisher's names; any of them suffices
    std::string folder;              ///< the first of the searched folders, below the data folder
    std::string title, from;         ///< title of the data, and where a user gets them
};

struct ReproductionRequest {
    Recipe::Scale scale = Recipe::Scale::Full;
    std::string dataFolder = "./data";
    std::optional<std::int64_t> seeds;  ///< runs per row; absent: the recipe's
    std::string only;                   ///< a row or run of the recipe, or a prefix of one; empty: all
    std::string device;                 ///< "train.device"; empty: the spec's
};

/// One run of a recipe with one seed.
struct ReproductionItem {
    enum class State {
        NoData,      ///< files are missing
        Waiting,     ///< for the run whose checkpoint it starts from
        New,         ///< ready to start
        Unfinished,  ///< stopped, interrupted, queued or failed; can be resumed
        Training,    ///< in this or another process
        Done,
        Diverged,  ///< final: the loss was not finite
    };
    const RecipeRun* run = nullptr;
    std::uint64_t seed = 1;
    State state = State::New;
    std::string id, reason;            ///< of the run found in the database
    std::vector<std::string> missing;  ///< files
    std::string waitsFor;              ///< name of a run
    std::string problem;               ///< why it cannot be trained, from rehearse(); empty: no problem known
};

std::string_view name(ReproductionItem::State state);

/// Plans the runs of a recipe, finds those that a run database already has, and makes the specs of the others. A run is
/// identified by a recipe's tag ("reproduce:eau-grc-table3:quick"), its seed and its spec without name, device, threads and
/// file paths; files are compared by content. Tables share equal runs. One thread.
class Reproduction {
public:
    /// Throws Error: Usage for an unknown `only`, InvalidInput for an invalid spec of the recipe. Reads no database.
    Reproduction(Recipe recipe, ReproductionRequest request);
    Reproduction(const Reproduction&) = delete;
    Reproduction& operator=(const Reproduction&) = delete;

    const Recipe& recipe() const { return recipe_; }
    const ReproductionRequest& request() const { return request_; }
    const RecipeScale& scale() const { return recipe_.scale(request_.scale); }
    bool isQuick() const { return request_.scale == Recipe::Scale::Quick; }
    std::vector<std::uint64_t> seeds() const;
    std::string tag() const;

    /// In execution order: all rows with the first seed, then with the next one.
    const std::vector<ReproductionItem>& items() const { return items_; }
    std::vector<const ReproductionItem*> itemsOf(const RecipeRun& run) const;
    /// True for a run excluded by the scale or --only.
    bool isLeftOut(const RecipeRun& run) const;
    const std::vector<MissingFile>& missing() const { return missing_; }
    /// How the planned runs differ from the paper.
    std::vector<std::string> differences() const;
    /// Absolute path of a recipe's file; empty when it is missing.
    std::string pathOf(const std::string& file) const;
    const std::map<std::string, std::string>& paths() const { return paths_; }

    /// Looks up the runs and updates every item's state.
    void refresh(storage::RunQuery& query, const std::string& database);

    /// The next item that can be started or resumed and was not yet returned by this object.
    std::optional<ReproductionItem> next();

    /// Rehearses every run whose files are available (Engine::rehearse); calls `begun` with the run's name. Failures are stored
    /// in the items' `problem`. Returns the number of models built.
    std::size_t rehearse(Engine& engine, const std::string& cacheFolder, const std::function<void(const std::string&)>& begun);

    /// The spec to submit for an item. Runs that it starts from must be done.
    RunSpec specOf(const ReproductionItem& item) const;
    RunLabels labels() const;

private:
    void plan();
    void locate(const RecipeData& data, const std::vector<std::string>& files);
    bool isChosen(const RecipeRun& run) const;
    void find(ReproductionItem& item, storage::RunQuery& query, const std::vector<storage::RunRecord>& tagged);
    bool isSameRun(const RunSpec& wanted, const ReproductionItem& item, const storage::RunRecord& record) const;
    const ReproductionItem* itemOf(const std::string& run, std::uint64_t seed) const;
    std::string partOf(const ReproductionItem* parent, const std::string& kind) const;
    Json documentOf(const RecipeRun& run, std::uint64_t seed) const;

    Recipe recipe_;
    ReproductionRequest request_;
    std::vector<ReproductionItem> items_;
    std::vector<MissingFile> missing_;
    std::map<std::string, std::string> paths_;                      ///< paths by "multi30k:train.en"
    std::map<std::string, storage::CheckpointRecord> checkpoints_;  ///< best checkpoints by run id
    std::string artifacts_;                                         ///< folder of the database's checkpoints
    std::set<std::size_t> begun_;
};

}  // namespace heddle::app
