// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>
#include <utility>
#include <vector>

/// Builders for schemas. A field has no default and accepts any value of its type unless stated.
namespace heddle::schema {

inline FieldSchema field(const std::string& key, FieldSchema::Type type, const std::string& help) {
    FieldSchema made;
    made.key = key;
    made.type = type;
    made.help = help;
    return made;
}

inline FieldSchema text(const std::string& key, const std::string& help) { return field(key, FieldSchema::Type::String, help); }

inline FieldSchema flag(const std::string& key, const std::string& help) {
    return field(key, FieldSchema::Type::Boolean, help);
}

inline FieldSchema choice(const std::string& key, std::vector<std::string> choices, const std::string& help) {
    FieldSchema made = field(key, FieldSchema::Type::Choice, help);
    made.choices = std::move(choices);
    return made;
}

/// A closed interval.
struct Range {
    double low, high;
};

inline FieldSchema number(const std::string& key, Range range, const std::string& unit, const std::string& help) {
    FieldSchema made = field(key, FieldSchema::Type::Number, help);
    made.minimum = range.low;
    made.maximum = range.high;
    made.unit = unit;
    return made;
}

inline FieldSchema integer(const std::string& key, Range range, const std::string& unit, const std::string& help) {
    FieldSchema made = number(key, range, unit, help);
    made.type = FieldSchema::Type::Integer;
    return made;
}

inline FieldSchema object(const std::string& key, const std::string& help, std::vector<FieldSchema> members) {
    FieldSchema made = field(key, FieldSchema::Type::Object, help);
    made.fields = std::move(members);
    return made;
}

inline FieldSchema withDefault(FieldSchema made, Json value) {
    made.defaultValue = std::move(value);
    return made;
}

inline FieldSchema withRole(FieldSchema::Role role, FieldSchema made) {
    made.role = role;
    return made;
}

/// Allows null, which becomes the default and means "derive it".
inline FieldSchema derivable(FieldSchema made) {
    made.nullable = true;
    made.defaultValue = nullptr;
    return made;
}

}  // namespace heddle::schema
