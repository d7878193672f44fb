// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/formulas.h"

#include "engine/spec/variant_resolve.h"

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
