// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/published.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Files of one publisher, looked for under the folder that --data names.
struct RecipeData {
    std::string id, title, from;       ///< from: where a user gets them
    std::vector<std::string> folders;  ///< below the data folder, in the order in which they are tried; "." is itself
    /// By the name that recipes use ("train.en"): the publisher's file names, the first one preferred (plain, or .gz).
    std::map<std::string, std::vector<std::string>> files;
};

/// Where a measured number comes from.
struct RecipeMeasure {
    std::string id, column;
    std::string reading;  ///< which of several ways to take the column's number; part of its title
    std::string from;     ///< "evaluation" | "run" | "series" | "histogram" | "count" | "layers" | "inspect"
    std::string split, metric;
    std::string take;                ///< evaluation: "last" | "best" | "best_epoch"; series: "last" | "mean" | "max"
    std::string field;               ///< run: see recipeRunFields()
    std::string name, path;          ///< of a series, or of histograms (the mean of the newest)
    std::vector<std::string> files;  ///< inspect: "tnews:train"; their numbers are added up
    std::string at;                  ///< inspect: JSON pointer into a file's report
    std::vector<std::string> set;    ///< count: assignments on top of the run's, at the paper's sizes
    double scale = 1;                ///< what the number is multiplied with to be in the column's unit
    std::int64_t per = 0;  ///< evaluation: the number is for so many examples; of another n it is scaled, and that is said
};

/// What a measure can take from "run": "parameters", "epochs", "steps", "diverged", and the efficiency figures "seconds",
/// "training_seconds", "seconds_per_epoch", "steps_to_best", "seconds_to_best".
const std::vector<std::string>& recipeRunFields();

/// A control of ours: f is widened until the parameters equal those of another preset in the same place.
struct RecipeMatch {
    std::string preset;
    std::vector<std::string> set;  ///< what the count must know besides, such as vocabulary sizes
};

struct RecipeRun {
    std::string name, preset, note;
    std::vector<std::string> use;       ///< fragments, in order
    std::vector<std::string> set;       ///< assignments, as after --set
    std::string row;                    ///< of the table; empty: a step on the way, such as pre-training
    std::vector<std::string> measures;  ///< ids
    std::optional<RecipeMatch> match;
};

/// A sentence that is true of some runs alone: those that are made with every assignment of `set`, and, where `runs` names
/// some, when one of them is run.
struct RecipeStatement {
    std::string text;
    std::vector<std::string> set, runs;
};

/// How much is run. In a quick version `set` and `fragments` come after what the recipe says.
struct RecipeScale {
    std::string label, time;
    std::int64_t seeds = 1;
    std::vector<std::string> set, differs, runs;  ///< runs: names; empty: all
    std::map<std::string, std::vector<std::string>> fragments;
};

/// How a table is made again: data in resources/recipes. Assignments may hold "{multi30k:train.en}", a file's path, and, of an
/// earlier run of the recipe with the same seed, "{checkpoint:RUN}", the folder of its best checkpoint, "{weights:RUN}", the
/// SHA-256 of the weights in it, and "{folder:RUN}", where the run's own files are.
struct Recipe {
    enum class Scale { Full, Quick };

    std::string id, title;
    std::string why;                       ///< nothing is run: why
    PublishedTable published;              ///< without rows when nothing was printed
    std::vector<std::string> differs;      ///< from the paper, whatever is run
    std::vector<RecipeStatement> choices;  ///< likewise, of some runs
    std::vector<RecipeData> data;
    std::vector<std::string> set;
    std::map<std::string, std::vector<std::string>> fragments;
    std::map<std::string, std::string> notMeasured;  ///< by column or row: why nothing is
    std::vector<RecipeMeasure> measures;
    std::vector<RecipeRun> runs;
    std::uint64_t firstSeed = 1;
    RecipeScale full;
    std::optional<RecipeScale> quick;

    const RecipeScale& scale(Scale which) const { return which == Scale::Quick && quick ? *quick : full; }
    const RecipeRun* run(const std::string& name) const;          ///< null if there is none
    const RecipeMeasure& measure(const std::string& name) const;  ///< throws std::out_of_range
    bool includes(Scale which, const RecipeRun& run) const;       ///< false for a run that the quick version leaves out
    /// True when a run must be trained for its numbers; counts and inspected files need none.
    bool needsTraining(const RecipeRun& run) const;
};

/// True for "checkpoint", "weights" and "folder": the kinds of placeholders that name a run.
bool isRunReference(const std::string& kind);

/// What stands for "{kind:name}" in an assignment.
using Substitute = std::function<std::string(const std::string& kind, const std::string& name)>;

/// Every assignment of a run, in order, placeholders replaced.
std::vector<std::string> assignmentsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale,
                                       const Substitute& substitute);

/// What differs from the paper in these runs: the recipe's sentences that are true of them, the scale's own, and in a quick
/// version every setting that is not the full version's.
std::vector<std::string> differencesOf(const Recipe& recipe, Recipe::Scale scale, const std::vector<const RecipeRun*>& runs);

/// The run-spec document of a run, without seed and name. Throws Error(InvalidInput) for an assignment that cannot be made.
Json expandRun(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, const Substitute& substitute);

/// Parameters of a run's variant at the paper's sizes with a count measure's assignments, from the descriptors' formulas.
std::int64_t countedParameters(const Recipe& recipe, const RecipeRun& run, const RecipeMeasure& measure);

/// Encoder layers of a run's variant at the paper's sizes; of a decoder its own.
std::int64_t layersOf(const Recipe& recipe, const RecipeRun& run);

/// What a run reads: names of runs whose checkpoints it starts from, and files as "multi30k:train.en".
struct RecipeNeeds {
    std::vector<std::string> runs, files;
};
RecipeNeeds needsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale);

/// Ids of the files in resources/recipes, sorted.
std::vector<std::string> recipeIds();

/// Throws Error(InvalidInput) that names the file and every problem, or suggests an id.
Recipe readRecipe(const std::string& id);

const FieldSchema& recipeSchema();

}  // namespace heddle
