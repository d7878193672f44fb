// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>
#include <utility>
#include <vector>

/// Short ways to write the parameter schema of a block.
namespace heddle::fields {

/// The interval a number must lie in, ends included.
struct Range {
    double low, high;
};

inline FieldSchema flag(const std::string& key, const Json& defaultValue, const std::string& help) {
    FieldSchema field;
    field.key = key;
    field.type = FieldSchema::Type::Boolean;
    field.defaultValue = defaultValue;
    field.help = help;
    return field;
}

inline FieldSchema number(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    FieldSchema field;
    field.key = key;
    field.type = FieldSchema::Type::Number;
    field.defaultValue = defaultValue;
    field.minimum = range.low;
    field.maximum = range.high;
    field.help = help;
    return field;
}

inline FieldSchema integer(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    FieldSchema field = number(key, defaultValue, range, help);
    field.type = FieldSchema::Type::Integer;
    return field;
}

/// One of `choices`; the first is the default.
inline FieldSchema choice(const std::string& key, std::vector<std::string> choices, const std::string& help) {
    FieldSchema field;
    field.key = key;
    field.type = FieldSchema::Type::Choice;
    field.defaultValue = choices.front();
    field.choices = std::move(choices);
    field.help = help;
    return field;
}

/// The same field that may also be null, its default: "derive it".
inline FieldSchema derivable(FieldSchema field) {
    field.nullable = true;
    field.defaultValue = nullptr;
    return field;
}

/// Exactly these members; each has a default of its own.
inline FieldSchema object(const std::string& key, std::vector<FieldSchema> members, const std::string& help) {
    FieldSchema field;
    field.key = key;
    field.type = FieldSchema::Type::Object;
    field.defaultValue = Json::object();
    for (const FieldSchema& member : members) field.defaultValue[member.key] = member.defaultValue;
    field.fields = std::move(members);
    field.help = help;
    return field;
}

/// Any number of whole numbers.
inline FieldSchema integers(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    FieldSchema field;
    field.key = key;
    field.type = FieldSchema::Type::List;
    field.defaultValue = defaultValue;
    field.fields = {integer("", nullptr, range, help)};
    field.help = help;
    return field;
}

/// `where` of every position block.
inline FieldSchema positionPlace() {
    return choice("where", {"input", "every_layer"}, "Whether positions enter once, or before every layer.");
}

/// Below 1: dropping everything would leave nothing to scale.
inline constexpr Range kDropout{0, 0.99};

}  // namespace heddle::fields
