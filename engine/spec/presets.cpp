// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/resources.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace heddle {

namespace fs = std::filesystem;

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(resourcePath("presets")))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> findPreset(const std::string& name) {
    static const std::map<std::string, std::string> kOtherNames{
        {"gru-only", "grc-only"}, {"bert-base+gru", "bert-base+grc"}, {"vit-tiny+gru", "vit-tiny+grc"}};
    const auto other = kOtherNames.find(name);
    const std::string& wanted = other == kOtherNames.end() ? name : other->second;
    const auto names = presetNames();
    return contains(names, wanted) ? std::optional(wanted) : std::nullopt;
}

Json presetDocument(const std::string& name) {
    const auto preset = findPreset(name);
    if (!preset) throwInvalid(fmt::format("unknown preset \"{}\"", name), "presets", suggestion(name, presetNames()));
    return readJsonFile(resourcePath("presets/" + *preset + ".json"));
}

Json withSizesFromData(Json variant) {
    const Json named = variant.is_object() ? variant.value("preset", Json()) : Json();
    if (!named.is_string() || !findPreset(named.get<std::string>())) return variant;
    const Json stated = presetDocument(named.get<std::string>()).value("dims", Json::object());
    Json own = variant.value("dims", Json::object());
    if (!own.is_object()) return variant;  // reported when it is parsed
    for (const char* size : {"vocab_src", "vocab_tgt", "classes"})
        if (stated.contains(size) && !own.contains(size)) own[size] = "from_data";
    if (!own.empty()) variant["dims"] = own;
    return variant;
}

}  // namespace heddle
