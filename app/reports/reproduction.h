// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/run_session.h"
#include "engine/analysis/recipe.h"
#include "storage/run_query.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::app {

/// A file that a recipe wants and the data folder does not have.
struct MissingFile {
    std::string name;                ///< "multi30k:train.en"
    std::vector<std::string> names;  ///< the publisher's, any of which would do
    std::string folder;              ///< the first of those that were looked into, below the data folder
    std::string title, from;         ///< what the data are, and where a user gets them
};

struct ReproductionRequest {
    Recipe::Scale scale = Recipe::Scale::Full;
    std::string dataFolder = "./data";
    std::optional<std::int64_t> seeds;  ///< runs of every line; absent: the recipe's
    std::string only;                   ///< one row or run of the recipe, or the beginning of one; empty: all
    std::string device;                 ///< "train.device"; empty: the spec's
};

/// One run of a recipe with one seed.
struct ReproductionItem {
    enum class State {
        NoData,      ///< files are missing
        Waiting,     ///< for the run whose checkpoint it starts from
        New,         ///< can be started
        Unfinished,  ///< stopped, interrupted, queued or failed: can be resumed
        InWork,      ///< in another process, or here
        Done,
        Diverged,  ///< ended for good: the loss was no number any more
    };
    const RecipeRun* run = nullptr;
    std::uint64_t seed = 1;
    State state = State::New;
    std::string id, reason;            ///< of the run found in the database
    std::vector<std::string> missing;  ///< files
    std::string waitsFor;              ///< name of a run
    std::string problem;               ///< why it cannot be trained, as rehearse() found; empty: nothing is known
};

std::string_view name(ReproductionItem::State state);

/// Plans the runs of a recipe, finds those of them that a run database has already, and makes the specs of the others. A run
/// is found again by a tag of a recipe ("reproduce:eau-grc-table3:quick"), its seed and its spec: everything but name, device,
/// threads and places of files; files count by content. Tables that ask for the same run share it. One thread.
class Reproduction {
public:
    /// Throws Error: Usage for an unknown `only`, InvalidInput when a spec of the recipe is not valid. Reads no database.
    Reproduction(Recipe recipe, ReproductionRequest request);
    Reproduction(const Reproduction&) = delete;
    Reproduction& operator=(const Reproduction&) = delete;

    const Recipe& recipe() const { return recipe_; }
    const ReproductionRequest& request() const { return request_; }
    const RecipeScale& scale() const { return recipe_.scale(request_.scale); }
    bool isQuick() const { return request_.scale == Recipe::Scale::Quick; }
    std::vector<std::uint64_t> seeds() const;
    std::string tag() const;

    /// In the order in which they are run: every line once, then with the next seed.
    const std::vector<ReproductionItem>& items() const { return items_; }
    std::vector<const ReproductionItem*> itemsOf(const RecipeRun& run) const;
    /// True for a run that the scale or --only leaves out.
    bool isLeftOut(const RecipeRun& run) const;
    const std::vector<MissingFile>& missing() const { return missing_; }
    /// What differs from the paper in the runs that are planned.
    std::vector<std::string> differences() const;
    /// Absolute path of a recipe's file; empty when it is missing.
    std::string pathOf(const std::string& file) const;
    const std::map<std::string, std::string>& paths() const { return paths_; }

    /// Looks the runs up and brings every item's state up to date.
    void look(storage::RunQuery& query, const std::string& database);

    /// The next item that can be started or resumed and has not been begun by this object; marks it as begun.
    std::optional<ReproductionItem> next();

    /// Builds the model of every run whose files are there and measures two of its examples (Engine::rehearse), one after the
    /// other; `begun` is told the run's name. What fails stands in the items' `problem`. Returns how many models were built.
    std::size_t rehearse(Engine& engine, const std::string& cacheFolder, const std::function<void(const std::string&)>& begun);

    /// The run of an item as it is to be submitted. Runs that it starts from are done.
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
    std::map<std::string, std::string> paths_;  ///< of files, by "multi30k:train.en"
    /// What a run can be started from.
    struct Checkpoint {
        std::string folder, weightsSha256;
    };
    std::map<std::string, Checkpoint> checkpoints_;  ///< the best one, by run id
    std::string artifacts_;                          ///< folder of the database's checkpoints
    std::set<std::size_t> begun_;
};

}  // namespace heddle::app
