// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/choice_words.h"
#include "engine/spec/field_table.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

/// Short ways to write the parameter schema of a block: engine/spec/field_table.h with a default for every field.
namespace heddle::fields {

using schema::derivable;
using schema::Range;

inline FieldSchema flag(const std::string& key, const Json& defaultValue, const std::string& help) {
    return schema::withDefault(schema::flag(key, help), defaultValue);
}

inline FieldSchema number(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    return schema::withDefault(schema::number(key, range, "", help), defaultValue);
}

inline FieldSchema integer(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    return schema::withDefault(schema::integer(key, range, "", help), defaultValue);
}

/// One of the values of `Enum`, by their ChoiceWords; the first is the default.
template <class Enum>
FieldSchema choice(const std::string& key, const std::string& help) {
    const std::vector<std::string> words = wordsOf<Enum>();
    return schema::withDefault(schema::choice(key, words, help), words.front());
}

/// One of `values`; the first is the default.
template <class Enum>
FieldSchema choice(const std::string& key, std::initializer_list<Enum> values, const std::string& help) {
    std::vector<std::string> words;
    for (const Enum value : values) words.push_back(wordOf(value));
    return schema::withDefault(schema::choice(key, words, help), words.front());
}

/// Exactly these members; each has a default of its own.
inline FieldSchema object(const std::string& key, std::vector<FieldSchema> members, const std::string& help) {
    Json defaults = Json::object();
    for (const FieldSchema& member : members) defaults[member.key] = member.defaultValue;
    return schema::withDefault(schema::object(key, help, std::move(members)), std::move(defaults));
}

/// A list of whole numbers.
inline FieldSchema integers(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    FieldSchema list = schema::withDefault(schema::field(key, FieldSchema::Type::List, help), defaultValue);
    list.fields = {integer("", nullptr, range, help)};
    return list;
}

/// Below 1, because p = 1 would divide by 0.
inline constexpr Range kDropout{0, 0.99};

}  // namespace heddle::fields
