// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/published.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Files of one publisher, searched for below the folder of --data.
struct RecipeData {
    std::string id, title, from;       ///< from: where a user gets them
    std::vector<std::string> folders;  ///< below the data folder, in search order; "." is the data folder
    /// Publisher's file names (plain or .gz, first preferred) by the name used in recipes ("train.en").
    std::map<std::string, std::vector<std::string>> files;
};

/// The source of a measured number.
struct RecipeMeasure {
    std::string id, column;
    std::string reading;  ///< variant of the column's definition; part of its title
    std::string from;     ///< "evaluation" | "run" | "series" | "histogram" | "count" | "layers" | "inspect"
    std::string split, metric;
    std::string take;                ///< evaluation: "last" | "best" | "best_epoch"; series: "last" | "mean" | "max"
    std::string field;               ///< run: see recipeRunFields()
    std::string name, path;          ///< of a series, or of histograms (the mean of the newest)
    std::vector<std::string> files;  ///< inspect: "tnews:train"; their numbers are summed
    std::string at;                  ///< inspect: JSON pointer into a file's report
    std::vector<std::string> set;    ///< count: assignments on top of the run's, at the paper's sizes
    double scale = 1;                ///< factor to the column's unit
    std::int64_t per = 0;  ///< evaluation: the column's number of examples; a value with another n is rescaled and marked so
};

/// Allowed fields of a measure from "run": "parameters", "epochs", "steps", "diverged", and the efficiency figures "seconds",
/// "training_seconds", "seconds_per_epoch", "steps_to_best", "seconds_to_best".
const std::vector<std::string>& recipeRunFields();

/// A parameter-matched control: f is widened until the parameter count equals that of another preset.
struct RecipeMatch {
    std::string preset;
    std::vector<std::string> set;  ///< further assignments for the count, such as vocabulary sizes
};

struct RecipeRun {
    std::string name, preset, note;
    std::vector<std::string> use;       ///< fragments, in order
    std::vector<std::string> set;       ///< assignments, as after --set
    std::string row;                    ///< of the table; empty: an intermediate run, such as pre-training
    std::vector<std::string> measures;  ///< ids
    std::optional<RecipeMatch> match;
};

/// A sentence that applies only to runs that have every assignment of `set` and, if `runs` is not empty, are named there.
struct RecipeStatement {
    std::string text;
    std::vector<std::string> set, runs;
};

/// The size of a reproduction. The `set` and `fragments` of a quick version are applied after those of the recipe.
struct RecipeScale {
    std::string label, time;
    std::int64_t seeds = 1;
    std::vector<std::string> set, differs, runs;  ///< runs: names; empty: all
    std::map<std::string, std::vector<std::string>> fragments;
};

/// How a table is reproduced: data in resources/recipes. Assignments may contain placeholders: "{multi30k:train.en}", a file's
/// path, and for an earlier run of the recipe with the same seed "{checkpoint:RUN}", the folder of its best checkpoint,
/// "{weights:RUN}", the SHA-256 of that checkpoint's weights, and "{folder:RUN}", the run's folder.
struct Recipe {
    enum class Scale { Full, Quick };

    std::string id, title;
    std::string why;                       ///< why nothing is run; empty: the recipe has runs
    PublishedTable published;              ///< without rows when the paper prints no numbers
    std::vector<std::string> differs;      ///< deviations from the paper, for every run
    std::vector<RecipeStatement> choices;  ///< deviations of some runs
    std::vector<RecipeData> data;
    std::vector<std::string> set;
    std::map<std::string, std::vector<std::string>> fragments;
    std::map<std::string, std::string> notMeasured;  ///< by column or row: the reason
    std::vector<RecipeMeasure> measures;
    std::vector<RecipeRun> runs;
    std::uint64_t firstSeed = 1;
    RecipeScale full;
    std::optional<RecipeScale> quick;

    const RecipeScale& scale(Scale which) const { return which == Scale::Quick && quick ? *quick : full; }
    const RecipeRun* run(const std::string& name) const;          ///< null if there is none
    const RecipeMeasure& measure(const std::string& name) const;  ///< throws std::out_of_range
    bool includes(Scale which, const RecipeRun& run) const;       ///< false for a run that the quick version leaves out
    /// True when a run must be trained for its numbers; counts and inspected files need no training.
    bool needsTraining(const RecipeRun& run) const;
};

/// True for "checkpoint", "weights" and "folder": the kinds of placeholders that name a run.
bool isRunReference(const std::string& kind);

/// Returns the replacement of "{kind:name}" in an assignment.
using Substitute = std::function<std::string(const std::string& kind, const std::string& name)>;

/// All assignments of a run, in order, with placeholders replaced.
std::vector<std::string> assignmentsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale,
                                       const Substitute& substitute);

/// How these runs differ from the paper: the recipe's sentences that apply, those of the scale, and in a quick version every
/// setting that differs from the full version.
std::vector<std::string> differencesOf(const Recipe& recipe, Recipe::Scale scale, const std::vector<const RecipeRun*>& runs);

/// What `heddle reproduce` calls its runs: the group "reproduce/eau-grc-table3 --quick", and the name
/// "eau-grc-table3 quick full l2k256 seed 2", without the last two words where one seed is run.
std::string reproductionGroup(const Recipe& recipe, Recipe::Scale scale);
std::string reproducedName(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, std::optional<std::uint64_t> seed);

/// The run-spec document of a run, without seed and name. Throws Error(InvalidInput) for an invalid assignment.
Json expandRun(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, const Substitute& substitute);

/// Parameters of a run's variant at the paper's sizes with a count measure's assignments, from the descriptors' formulas.
std::int64_t countedParameters(const Recipe& recipe, const RecipeRun& run, const RecipeMeasure& measure);

/// Number of encoder layers of a run's variant at the paper's sizes; of decoder layers if it has no encoder.
std::int64_t layersOf(const Recipe& recipe, const RecipeRun& run);

/// Dependencies of a run: runs whose checkpoints it starts from, and files ("multi30k:train.en").
struct RecipeNeeds {
    std::vector<std::string> runs, files;
};
RecipeNeeds needsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale);

/// Ids of the files in resources/recipes, sorted.
std::vector<std::string> recipeIds();

/// Throws Error(InvalidInput), naming the file and every problem, or suggesting an id.
Recipe readRecipe(const std::string& id);

const FieldSchema& recipeSchema();

}  // namespace heddle
