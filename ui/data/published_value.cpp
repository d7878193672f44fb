// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/published_value.h"

#include "engine/analysis/recipe.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

namespace heddle::ui {
namespace {

constexpr std::string_view kGroup = "reproduce/", kQuick = " --quick";

/// Null: this program has no such recipe.
std::shared_ptr<const Recipe> recipeOf(const std::string& id) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const Recipe>> read;
    const std::lock_guard lock(mutex);
    const auto [place, isNew] = read.try_emplace(id);
    if (isNew && contains(recipeIds(), id)) place->second = std::make_shared<const Recipe>(readRecipe(id));
    return place->second;
}

const RecipeRun* runOf(const Recipe& recipe, Recipe::Scale scale, const storage::RunRecord& record) {
    // The name in the specification is the one that it was made with; the record's can be edited.
    const std::string name = parseJson(record.spec, "run " + record.id).value("name", "");
    for (const RecipeRun& run : recipe.runs)
        if (name == reproducedName(recipe, run, scale, {}) || name == reproducedName(recipe, run, scale, record.seed))
            return &run;
    return nullptr;
}

/// Null: the recipe puts no printed number beside this metric of the run.
const RecipeMeasure* measureOf(const Recipe& recipe, const RecipeRun& run, const StudyMetric& metric) {
    for (const std::string& id : run.measures) {
        const RecipeMeasure& measure = recipe.measure(id);
        const bool isValue = measure.from == "evaluation" && (measure.take == "last" || measure.take == "best");
        if (isValue && measure.split == metric.split && measure.metric == metric.name) return &measure;
    }
    return nullptr;
}

}  // namespace

bool isReproduced(const storage::RunRecord& run) { return run.group.starts_with(kGroup); }

std::optional<PublishedValue> publishedValue(const storage::RunRecord& record, const StudyMetric& metric) {
    if (!isReproduced(record)) return std::nullopt;
    const bool isQuick = record.group.ends_with(kQuick);
    const auto scale = isQuick ? Recipe::Scale::Quick : Recipe::Scale::Full;
    const std::size_t length = record.group.size() - kGroup.size() - (isQuick ? kQuick.size() : 0);
    const auto recipe = recipeOf(record.group.substr(kGroup.size(), length));
    const RecipeRun* run = recipe ? runOf(*recipe, scale, record) : nullptr;
    const RecipeMeasure* measure = run ? measureOf(*recipe, *run, metric) : nullptr;
    const PublishedRow* row = measure ? recipe->published.row(run->row) : nullptr;
    if (!row || !row->values.contains(measure->column)) return std::nullopt;
    const PublishedTable& table = recipe->published;
    const PublishedColumn& column = table.column(measure->column);
    const double printed = row->values.at(measure->column);
    PublishedValue value{printed / measure->scale,
                         printedText(column, printed),
                         fmt::format("{}, {}, {}, {}", table.paper, table.table, row->name, column.title),
                         measure->reading,
                         differencesOf(*recipe, scale, {run}),
                         isQuick};
    if (const std::string rule = metric.rule.text(); rule != measure->take)
        value.differs.push_back(
            fmt::format("The recipe takes the {} value, the comparison the one by the rule \"{}\".", measure->take, rule));
    if (measure->per > 0) value.differs.push_back(fmt::format("The printed value is of {} examples.", measure->per));
    return value;
}

}  // namespace heddle::ui
