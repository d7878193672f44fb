// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/recipe.h"

#include "engine/analysis/document_schema.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/resources.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace heddle {
namespace {

using Lists = std::map<std::string, std::vector<std::string>>;

/// Reads an object whose members are lists of strings; reports anything else.
Lists readLists(const Json& document, const std::string& path, std::vector<Problem>& problems) {
    Lists lists;
    const auto isText = [](const Json& value) { return value.is_string(); };
    for (const auto& [key, value] : document.items()) {
        if (value.is_array() && std::all_of(value.begin(), value.end(), isText))
            lists[key] = value.get<std::vector<std::string>>();
        else
            problems.push_back({childPath(path, key), "is not a list of strings", "write [\"…\", \"…\"]"});
    }
    return lists;
}

RecipeScale readScale(const Json& d, const std::string& path, std::vector<Problem>& problems) {
    return {d["label"],
            d["time"],
            d["seeds"],
            d["set"],
            d["differs"],
            d["runs"],
            readLists(d["fragments"], path + ".fragments", problems)};
}

RecipeMeasure readMeasure(const Json& d) {
    return {d["id"],   d["column"], d["reading"], d["from"], d["split"], d["metric"], d["take"], d["field"],
            d["name"], d["path"],   d["files"],   d["at"],   d["set"],   d["scale"],  d["per"]};
}

RecipeRun readRun(const Json& d) {
    RecipeRun run{d["name"], d["preset"], d["note"], d["use"], d["set"], d["row"], d["measures"], {}};
    if (d["match"].contains("preset")) run.match = RecipeMatch{d["match"]["preset"], d["match"]["set"]};
    return run;
}

/// Checks what the schema cannot express: every referenced name is defined.
class References {
public:
    References(const Recipe& recipe, std::vector<Problem>& problems) : recipe_(recipe), problems_(problems) {}

    void check() {
        for (const auto& measure : recipe_.measures) checkMeasure(measure);
        for (const auto& [name, why] : recipe_.notMeasured)
            if (!recipe_.published.row(name)) checkColumn("not_measured", name);
        std::set<std::string> names;
        for (const auto& choice : recipe_.choices) checkChoice(choice);
        for (const auto& run : recipe_.runs) {
            require(names.insert(run.name).second, run.name, "duplicate run name", "tell them apart");
            checkRun(run);
        }
        if (recipe_.quick)
            for (const auto& name : recipe_.quick->runs)
                require(recipe_.run(name) != nullptr, "quick.runs", "unknown run \"" + name + "\"", "correct it");
        require(recipe_.runs.empty() != recipe_.why.empty(), "runs", "\"runs\" and \"why\" cannot be given together",
                "give \"why\" only if nothing is run");
    }

private:
    void require(bool holds, const std::string& path, const std::string& what, const std::string& next) {
        if (!holds) problems_.push_back({path, what, next});
    }
    void checkColumn(const std::string& path, const std::string& id) {
        const auto& columns = recipe_.published.columns;
        require(std::any_of(columns.begin(), columns.end(), [&](const auto& c) { return c.id == id; }), path,
                "unknown column \"" + id + "\"", "correct it, or add it to columns");
    }
    void checkMeasure(const RecipeMeasure& measure) {
        checkColumn(measure.id, measure.column);
        const auto& fields = recipeRunFields();
        require(measure.from != "run" || contains(fields, measure.field), measure.id, "unknown field \"" + measure.field + "\"",
                suggestion(measure.field, fields));
        for (const auto& file : measure.files) checkFile(measure.id, file);
    }
    /// Reports a sentence that applies to no run: it would never be shown.
    void checkChoice(const RecipeStatement& choice) {
        for (const auto& name : choice.runs)
            require(recipe_.run(name) != nullptr, "choices", "unknown run \"" + name + "\"", "correct it");
        if (!problems_.empty()) return;
        std::vector<const RecipeRun*> all;
        for (const auto& run : recipe_.runs) all.push_back(&run);
        const auto applies = [&](Recipe::Scale scale) { return contains(differencesOf(recipe_, scale, all), choice.text); };
        require(applies(Recipe::Scale::Full) || applies(Recipe::Scale::Quick), "choices",
                "no run has this setting: \"" + choice.text + "\"", "use an assignment that occurs in \"set\" of the runs");
    }
    void checkFile(const std::string& path, const std::string& file) {
        const auto colon = file.find(':');
        const bool known = std::any_of(recipe_.data.begin(), recipe_.data.end(), [&](const auto& data) {
            return data.id == file.substr(0, colon) && colon != std::string::npos &&
                   data.files.contains(file.substr(colon + 1));
        });
        require(known, path, "unknown file \"" + file + "\"", "add it to data");
    }
    void checkRun(const RecipeRun& run) {
        for (const auto& name : run.use)
            require(recipe_.fragments.contains(name), run.name, "unknown fragment \"" + name + "\"", "add it");
        for (const auto& id : run.measures)
            require(std::any_of(recipe_.measures.begin(), recipe_.measures.end(), [&](const auto& m) { return m.id == id; }),
                    run.name, "unknown measure \"" + id + "\"", "add it");
        require(run.row.empty() == run.measures.empty(), run.name, "\"row\" and \"measures\" must be given together",
                "give both or neither");
        if (!problems_.empty()) return;
        for (const auto scale : {Recipe::Scale::Full, Recipe::Scale::Quick}) {
            const RecipeNeeds needs = needsOf(recipe_, run, scale);
            for (const auto& file : needs.files) checkFile(run.name, file);
            for (const auto& other : needs.runs)
                require(recipe_.run(other) != nullptr, run.name, "unknown run \"" + other + "\"", "correct it");
        }
    }

    const Recipe& recipe_;
    std::vector<Problem>& problems_;
};

Recipe recipeFromDocument(const Json& d, std::vector<Problem>& problems) {
    Recipe recipe;
    recipe.id = d["id"];
    recipe.title = d["title"];
    recipe.why = d["why"];
    if (const std::string published = d["published"]; !published.empty()) recipe.published = readPublished(published);
    for (const auto& column : d["columns"]) recipe.published.columns.push_back(readColumn(column));
    recipe.differs = d["differs"];
    for (const auto& e : d["choices"]) recipe.choices.push_back({e["text"], e["set"], e["runs"]});
    for (const auto& e : d["data"])
        recipe.data.push_back({e["id"], e["title"], e["from"], e["folders"], readLists(e["files"], "data.files", problems)});
    recipe.set = d["set"];
    recipe.fragments = readLists(d["fragments"], "fragments", problems);
    for (const auto& [column, reason] : d["not_measured"].items()) {
        if (reason.is_string())
            recipe.notMeasured[column] = reason;
        else
            problems.push_back({"not_measured." + column, "is not a string", "give the reason as a string"});
    }
    for (const auto& e : d["measures"]) recipe.measures.push_back(readMeasure(e));
    for (const auto& e : d["runs"]) recipe.runs.push_back(readRun(e));
    recipe.firstSeed = d["first_seed"];
    if (d["full"].contains("label")) recipe.full = readScale(d["full"], "full", problems);
    if (d["quick"].contains("label")) recipe.quick = readScale(d["quick"], "quick", problems);
    References(recipe, problems).check();
    return recipe;
}

}  // namespace

const RecipeRun* Recipe::run(const std::string& name) const {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run.name == name; });
    return found == runs.end() ? nullptr : &*found;
}

const RecipeMeasure& Recipe::measure(const std::string& name) const {
    for (const auto& measure : measures)
        if (measure.id == name) return measure;
    throw std::out_of_range("unknown measure " + name);
}

bool Recipe::includes(Scale which, const RecipeRun& run) const {
    const auto& chosen = scale(which).runs;
    return chosen.empty() || contains(chosen, run.name);
}

bool Recipe::needsTraining(const RecipeRun& run) const {
    if (run.row.empty()) return true;
    return std::any_of(run.measures.begin(), run.measures.end(), [&](const auto& name) {
        const std::string& from = measure(name).from;
        return from != "count" && from != "layers" && from != "inspect";
    });
}

std::vector<std::string> recipeIds() { return schema::shippedNames("recipes"); }

Recipe readRecipe(const std::string& id) {
    const auto known = recipeIds();
    if (!contains(known, id))
        throw Error(ErrorCode::Usage, fmt::format("unknown recipe \"{}\"", id), "reproduce",
                    suggestion(id, known) + "; heddle reproduce list describes each");
    const std::string file = resourcePath("recipes/" + id + ".json");
    std::vector<Problem> problems;
    Recipe recipe = recipeFromDocument(schema::readShipped(recipeSchema(), file), problems);
    if (recipe.id != id) problems.push_back({"id", "differs from the name of the file", "write \"" + id + "\""});
    throwIfAny(problems, file);
    return recipe;
}

}  // namespace heddle
