// SPDX-License-Identifier: Apache-2.0
// Presets by name, and the merge of a document into the preset that it names.
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/resources.h"
#include "engine/base/suggestion.h"
#include "engine/spec/variant_document.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace heddle {
namespace {

namespace fs = std::filesystem;

using Type = FieldSchema::Type;

Json findByName(const Json& list, const Json& name) {
    for (const auto& entry : list)
        if (entry.is_object() && entry.value("name", Json()) == name) return entry;
    return Json::object();
}

/// Merges members of `over` into `base`, recursively for objects.
void mergeObjects(Json& base, const Json& over) {
    for (const auto& [key, value] : over.items()) {
        Json& place = base[key];
        if (place.is_object() && value.is_object())
            mergeObjects(place, value);
        else
            place = value;
    }
}

/// Merges a slot's value `over` into `base`: member by member for the same (or no) block, otherwise `over` replaces it, so that
/// parameters of one kind never leak into another.
Json mergeSlot(const std::string& slot, const Json& baseValue, const Json& overValue) {
    Json base = slotObject(slot, baseValue);
    Json over = slotObject(slot, overValue);
    const std::string kind = kindKey(slot);
    if (!base.is_object() || !over.is_object()) return over;
    if (over.contains(kind) && (!base.contains(kind) || base[kind] != over[kind])) return over;
    mergeObjects(base, over);
    return base;
}

Json mergeMembers(const FieldSchema& schema, Json base, const Json& over);

Json mergeSublayer(const Json& base, const Json& over, const std::string& name) {
    return mergeMembers(sublayerSchema(name), base.is_object() ? base : Json::object(), over);
}

Json mergeLayers(Json base, const Json& over) {
    if (!over.is_object()) return over;
    for (const auto& [layer, sublayers] : over.items()) {
        if (!sublayers.is_object()) {
            base[layer] = sublayers;
            continue;
        }
        for (const auto& [name, slots] : sublayers.items()) {
            Json& place = base[layer][name];
            place = mergeSublayer(place, slots, name);
        }
    }
    return base;
}

Json mergeStack(Json base, const Json& over) {
    if (!base.is_object() || !over.is_object()) return over;
    if (over.contains("sublayers")) {
        Json list = over["sublayers"];
        for (auto& entry : list)
            if (entry.is_object() && entry.value("name", Json()).is_string())
                entry = mergeSublayer(findByName(base.value("sublayers", Json::array()), entry["name"]), entry, entry["name"]);
        base["sublayers"] = list;
    }
    if (over.contains("layers")) base["layers"] = mergeLayers(base.value("layers", Json::object()), over["layers"]);
    for (const auto& [key, value] : over.items()) {
        const bool isSlot = contains(stackSlots(), key);
        if (!base.contains(key))
            base[key] = value;
        else if (isSlot)
            base[key] = mergeSlot(key, base[key], value);
    }
    return base;
}

/// Merges members of `over` into `base`; keeps wrong types, so that validation reports them.
Json mergeMembers(const FieldSchema& schema, Json base, const Json& over) {
    if (!over.is_object()) return over;
    for (const auto& [key, value] : over.items()) {
        const auto* field = findField(schema, key);
        const bool both = field && base.contains(key);
        if (both && field->type == Type::Block)
            base[key] = mergeSlot(key, base[key], value);
        else if (both && (key == "encoder" || key == "decoder"))
            base[key] = mergeStack(base[key], value);
        else if (both && field->type == Type::Object && base[key].is_object())
            base[key] = mergeMembers(*field, base[key], value);
        else
            base[key] = value;
    }
    return base;
}

}  // namespace

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

Json expandPreset(const Json& document, std::vector<Problem>& problems) {
    if (!document.is_object() || !document.contains("preset") || !document["preset"].is_string()) return document;
    Json own = document;
    own.erase("preset");
    const auto name = document["preset"].get<std::string>();
    if (!findPreset(name)) {
        problems.push_back({"preset", fmt::format("unknown preset \"{}\"", name), suggestion(name, presetNames())});
        return own;
    }
    Json base = presetDocument(name);
    base.erase("meta");
    return mergeMembers(variantSchema(), base, own);
}

}  // namespace heddle
