// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_merge.h"

#include "engine/base/contains.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

namespace heddle {
namespace {

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
