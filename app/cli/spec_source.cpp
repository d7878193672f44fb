// SPDX-License-Identifier: Apache-2.0
#include "app/cli/spec_source.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/base/text_limits.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::app {

namespace fs = std::filesystem;

/// A folder is no spec, and hides no preset.
bool isSpecFile(const std::string& spec) { return fs::exists(spec) && !fs::is_directory(spec); }

Json readSpec(const std::string& spec, const std::vector<std::string>& assignments, std::string& base) {
    Json document;
    if (isSpecFile(spec)) {
        std::error_code failed;
        if (const auto bytes = fs::file_size(spec, failed); !failed && bytes > kMaxSpecBytes)
            throwInvalid(fmt::format("the file has {} MiB", bytes >> 20), spec,
                         fmt::format("name a spec; it may have {} MiB", kMaxSpecBytes >> 20));
        document = readJsonFile(spec);
        base = fs::absolute(spec).parent_path().string();
    } else {
        if (!findPreset(spec)) throwInvalid("no such file or preset", spec, suggestion(spec, presetNames()));
        document = presetDocument(spec);
        base = fs::current_path().string();
    }
    document = asRunDocument(document);
    for (const auto& assignment : assignments) applySet(document, assignment);
    return document;
}

RunSpec readRunSpec(const std::string& spec, const std::vector<std::string>& assignments) {
    std::string base;
    if (isSpecFile(spec) || !findPreset(spec))
        return RunSpec::parse(readSpec(spec, assignments, base), builtinCatalogue(), base);
    // Refers to the preset by name, so that its sizes stay distinct from those stated by the user.
    Json document{{"variant", {{"preset", spec}}}};
    for (const auto& assignment : assignments) applySet(document, assignment);
    return RunSpec::parse(document, builtinCatalogue(), fs::current_path().string());
}

std::vector<std::string> RunChanges::assignments() const {
    std::vector<std::string> all = set;
    if (!name.empty()) all.push_back("name=" + Json(name).dump());
    if (seed) all.push_back(fmt::format("seed={}", *seed));
    return all;
}

void addRunChanges(CommandBuilder& command, RunChanges& changes, const std::string& seeded) {
    command.set(changes.set)
        .option("--name", changes.name, "NAME", "Name of the run")
        .option("--seed", changes.seed, "N", "Seed of " + seeded);
}

VariantSpec readVariant(const std::string& spec, const std::vector<std::string>& assignments) {
    std::string base;
    const Json document = readSpec(spec, assignments, base);
    return VariantSpec::parse(document.at("variant"), builtinCatalogue());
}

}  // namespace heddle::app
