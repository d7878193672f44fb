// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/catalogue.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

using Type = FieldSchema::Type;

/// The values of an option that can be listed.
std::vector<Json> listedValues(const FieldSchema& field) {
    if (field.type == Type::Boolean) return {true, false};
    if (field.type == Type::Choice) return std::vector<Json>(field.choices.begin(), field.choices.end());
    if (field.type == Type::Object && field.nullable) return {withDefaults(field, Json::object())};
    return {};
}

}  // namespace

FieldSchema parameterSchema(const BlockDescriptor& block) {
    FieldSchema schema;
    schema.type = FieldSchema::Type::Object;
    schema.fields = block.parameters;
    return schema;
}

Catalogue::Catalogue(std::vector<BlockDescriptor> blocks) : blocks_(std::move(blocks)) {
    for (BlockDescriptor& block : blocks_)
        if (block.formulaOf) block.formula = block.formulaOf(withDefaults(parameterSchema(block), Json::object()));
}

std::vector<std::string> Catalogue::slots() const {
    std::vector<std::string> names;
    for (const auto& block : blocks_)
        if (!contains(names, block.slot)) names.push_back(block.slot);
    return names;
}

std::vector<const BlockDescriptor*> Catalogue::ofSlot(const std::string& slot) const {
    std::vector<const BlockDescriptor*> found;
    for (const auto& block : blocks_)
        if (block.slot == slot) found.push_back(&block);
    return found;
}

std::vector<std::string> Catalogue::idsOf(const std::string& slot) const {
    std::vector<std::string> ids;
    for (const auto* block : ofSlot(slot)) ids.push_back(block->id);
    return ids;
}

const BlockDescriptor* Catalogue::find(const std::string& slot, const std::string& id) const {
    const auto it =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) { return block.slot == slot && block.id == id; });
    return it == blocks_.end() ? nullptr : &*it;
}

const BlockDescriptor& Catalogue::at(const std::string& slot, const std::string& id) const {
    if (const auto* block = find(slot, id)) return *block;
    const auto ids = idsOf(slot);
    if (ids.empty()) throwInvalid(fmt::format("unknown slot \"{}\"", slot), "blocks", suggestion(slot, slots()));
    throwInvalid(fmt::format("unknown block \"{}\"", id), "slot " + slot, suggestion(id, ids));
}

std::string optionText(const FormulaCase& of) {
    if (of.value.is_object()) return of.option;
    return of.option + " " + (of.value.is_string() ? of.value.get<std::string>() : of.value.dump());
}

std::vector<FormulaCase> otherFormulas(const BlockDescriptor& block) {
    std::vector<FormulaCase> cases;
    const Json defaults = withDefaults(parameterSchema(block), Json::object());
    for (const FieldSchema& field : block.parameters)
        for (const Json& value : listedValues(field)) {
            Json options = defaults;
            options[field.key] = value;
            std::string formula = block.formulaWith(options);
            if (formula != block.formula) cases.push_back({field.key, value, std::move(formula)});
        }
    return cases;
}

}  // namespace heddle
