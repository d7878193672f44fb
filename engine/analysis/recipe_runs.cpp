// SPDX-License-Identifier: Apache-2.0
// Expands a line of a recipe into a run spec.
#include "engine/analysis/recipe.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/cost.h"
#include "engine/spec/match.h"
#include "engine/spec/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace heddle {
namespace {

using Strings = std::vector<std::string>;

/// Replaces the placeholders of "data.train.source={multi30k:train.en}". JSON objects are not affected: after "{" they have a
/// quote.
std::string substituted(const std::string& assignment, const Substitute& substitute) {
    static const std::regex kPlaceholder(R"(\{([A-Za-z0-9_-]+):([^{}"]+)\})");
    std::string text;
    auto rest = assignment.cbegin();
    std::smatch found;
    while (std::regex_search(rest, assignment.cend(), found, kPlaceholder)) {
        text.append(rest, found[0].first);
        text += substitute(found[1], found[2]);
        rest = found[0].second;
    }
    return text.append(rest, assignment.cend());
}

void append(Strings& all, const Strings& more) { all.insert(all.end(), more.begin(), more.end()); }

void addFragments(Strings& all, const std::map<std::string, Strings>& fragments, const Strings& use) {
    for (const auto& name : use)
        if (const auto found = fragments.find(name); found != fragments.end()) append(all, found->second);
}

Json startDocument(const RecipeRun& run) { return {{"schema", 1}, {"variant", {{"preset", run.preset}}}}; }

double parametersOf(const Json& variant) {
    return budgetOf(VariantSpec::parse(variant, builtinCatalogue()), Budget::Parameters);
}

/// Widens f so that the run has as many parameters as the other preset would have.
void match(Json& document, const RecipeMatch& match) {
    Json counted = document;
    for (const auto& assignment : match.set) applySet(counted, assignment);
    Json other = counted["variant"];
    other["preset"] = match.preset;
    const Match found = matchBudget({counted["variant"], parametersOf(other), Budget::Parameters, {"f"}});
    if (!found.isWithin(kMatchTolerance))
        throwInvalid("no width gives the same number of parameters as " + match.preset, "match",
                     "choose another preset to match");
    document["variant"]["dims"]["f"] = found.variant.at("dims").at("f");
}

/// Keeps only the last assignment to a path, so that a file which only the overridden one names is not required.
void dropOverridden(Strings& all) {
    std::set<std::string> seen;
    std::reverse(all.begin(), all.end());
    std::erase_if(all, [&seen](const std::string& assignment) {
        return !seen.insert(assignment.substr(0, assignment.find('='))).second;
    });
    std::reverse(all.begin(), all.end());
}

std::string unchanged(const std::string& kind, const std::string& name) { return kind + ":" + name; }
std::string asWritten(const std::string& kind, const std::string& name) { return "{" + kind + ":" + name + "}"; }

bool hasAll(const Strings& made, const Strings& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& assignment) { return contains(made, assignment); });
}

/// Settings in which the quick version differs from the full one: "dims.d=128; dims.layers_enc=3 or 6". Empty: none.
std::string quickSettings(const Recipe& recipe, const std::vector<const RecipeRun*>& runs) {
    std::map<std::string, Strings> values;  // by path
    for (const RecipeRun* run : runs) {
        const Strings full = assignmentsOf(recipe, *run, Recipe::Scale::Full, asWritten);
        for (const auto& assignment : assignmentsOf(recipe, *run, Recipe::Scale::Quick, asWritten)) {
            const auto split = assignment.find('=');
            const std::string path = assignment.substr(0, split), value = assignment.substr(split + 1);
            Strings& known = values[path];
            if (hasAll(full, {assignment}) || contains(known, value)) continue;
            known.push_back(value);
        }
    }
    std::string text;
    for (const auto& [path, some] : values) {
        if (some.empty()) continue;
        text += (text.empty() ? "" : "; ") + path + "=";
        for (const auto& value : some)
            text += (&value == &some.front() ? "" : " or ") + (value.empty() ? std::string("nothing") : value);
    }
    return text;
}

}  // namespace

bool isRunReference(const std::string& kind) { return kind == "checkpoint" || kind == "weights" || kind == "folder"; }

Strings assignmentsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, const Substitute& substitute) {
    Strings all = recipe.set;
    addFragments(all, recipe.fragments, run.use);
    append(all, run.set);
    if (scale == Recipe::Scale::Quick && recipe.quick) {
        append(all, recipe.quick->set);
        addFragments(all, recipe.quick->fragments, run.use);
    }
    dropOverridden(all);
    for (auto& assignment : all) assignment = substituted(assignment, substitute);
    return all;
}

std::vector<std::string> differencesOf(const Recipe& recipe, Recipe::Scale scale, const std::vector<const RecipeRun*>& runs) {
    std::vector<std::string> differs = recipe.differs;
    for (const RecipeStatement& choice : recipe.choices) {
        const bool isTrue = std::any_of(runs.begin(), runs.end(), [&](const RecipeRun* run) {
            const bool isNamed = choice.runs.empty() || contains(choice.runs, run->name);
            return isNamed && hasAll(assignmentsOf(recipe, *run, scale, asWritten), choice.set);
        });
        if (isTrue) differs.push_back(choice.text);
    }
    append(differs, recipe.scale(scale).differs);
    if (scale == Recipe::Scale::Quick)
        if (const std::string settings = quickSettings(recipe, runs); !settings.empty())
            differs.push_back("Different from the full version: " + settings + ".");
    return differs;
}

std::string reproductionGroup(const Recipe& recipe, Recipe::Scale scale) {
    return "reproduce/" + recipe.id + (scale == Recipe::Scale::Quick ? " --quick" : "");
}

std::string reproducedName(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, std::optional<std::uint64_t> seed) {
    return fmt::format("{}{} {}{}", recipe.id, scale == Recipe::Scale::Quick ? " quick" : "", run.name,
                       seed ? fmt::format(" seed {}", *seed) : "");
}

Json expandRun(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale, const Substitute& substitute) {
    Json document = startDocument(run);
    for (const auto& assignment : assignmentsOf(recipe, run, scale, substitute)) applySet(document, assignment);
    if (run.match) match(document, *run.match);
    return document;
}

std::int64_t countedParameters(const Recipe& recipe, const RecipeRun& run, const RecipeMeasure& measure) {
    Json document = expandRun(recipe, run, Recipe::Scale::Full, unchanged);
    for (const auto& assignment : measure.set) applySet(document, assignment);
    return static_cast<std::int64_t>(parametersOf(document["variant"]));
}

std::int64_t layersOf(const Recipe& recipe, const RecipeRun& run) {
    const Json document = expandRun(recipe, run, Recipe::Scale::Full, unchanged);
    const Dims dims = VariantSpec::parse(document["variant"], builtinCatalogue()).resolve().dims;
    return dims.layersEnc > 0 ? dims.layersEnc : dims.layersDec;
}

RecipeNeeds needsOf(const Recipe& recipe, const RecipeRun& run, Recipe::Scale scale) {
    RecipeNeeds needs;
    const auto once = [](Strings& names, const std::string& name) {
        if (!contains(names, name)) names.push_back(name);
    };
    if (recipe.needsTraining(run))
        assignmentsOf(recipe, run, scale, [&](const std::string& kind, const std::string& name) {
            if (isRunReference(kind))
                once(needs.runs, name);
            else
                once(needs.files, kind + ":" + name);
            return std::string();
        });
    for (const auto& id : run.measures)
        for (const auto& file : recipe.measure(id).files) once(needs.files, file);
    return needs;
}

}  // namespace heddle
