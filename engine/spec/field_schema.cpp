// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/field_schema.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace heddle {
namespace {

using Type = FieldSchema::Type;

constexpr std::size_t kLongestShown = 60;  ///< characters of a key or value in a message
constexpr std::size_t kMostProblems = 50;  ///< limit, since a file may have a million problems

/// A bare string is short for {"kind": …} wherever an object has a kind.
Json expandShort(const FieldSchema& schema, const Json& value) {
    if (schema.type == Type::Object && value.is_string() && findField(schema, "kind")) return Json{{"kind", value}};
    return value;
}

/// 2e3 is a whole number, too; beyond 2^53 a double is no longer exact.
bool isWhole(const Json& value) {
    if (value.is_number_integer()) return true;
    return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>() &&
           std::abs(value.get<double>()) <= 9007199254740992.0;
}

/// A value for messages: one line, truncated.
std::string shown(const Json& value) { return printableExcerpt(dumped(value), kLongestShown); }

/// "a whole number from 1 to 64 (steps)", "one of a, b", …
std::string expectation(const FieldSchema& schema) {
    std::string text;
    switch (schema.type) {
    case Type::Boolean: text = "true or false"; break;
    case Type::Integer: text = "a whole number"; break;
    case Type::Number: text = "a number"; break;
    case Type::String: text = "a text"; break;
    case Type::Choice: text = fmt::format("one of {}", fmt::join(schema.choices, ", ")); break;
    case Type::List: text = "a list"; break;
    case Type::Object: text = "an object"; break;
    case Type::Block: text = "a block name or an object with a kind"; break;
    case Type::Any: return "a value";
    }
    if (std::isfinite(schema.minimum) && std::isfinite(schema.maximum))
        text += fmt::format(" from {:.15g} to {:.15g}", schema.minimum, schema.maximum);
    else if (std::isfinite(schema.minimum))
        text += fmt::format(" of at least {:.15g}", schema.minimum);
    else if (std::isfinite(schema.maximum))
        text += fmt::format(" of at most {:.15g}", schema.maximum);
    if (!schema.unit.empty()) text += fmt::format(" ({})", schema.unit);
    for (const auto& literal : schema.alsoAccepts) text += fmt::format(" or \"{}\"", literal);
    if (schema.nullable) text += " or null";
    return text;
}

bool hasType(const FieldSchema& schema, const Json& value) {
    switch (schema.type) {
    case Type::Boolean: return value.is_boolean();
    case Type::Integer: return isWhole(value);
    case Type::Number: return value.is_number();
    case Type::String:
    case Type::Choice: return value.is_string();
    case Type::List: return value.is_array();
    case Type::Object: return value.is_object();
    case Type::Block: return value.is_object() || value.is_string();
    case Type::Any: return true;
    }
    return false;
}

void validateObject(const FieldSchema& schema, const Json& value, const std::string& path, std::vector<Problem>& problems) {
    for (const auto& [key, member] : value.items()) {
        if (problems.size() >= kMostProblems) return;
        if (const auto* field = findField(schema, key)) {
            validate(*field, member, childPath(path, key), problems);
            continue;
        }
        const std::string shownKey = printableExcerpt(key, kLongestShown);
        problems.push_back(
            {childPath(path, shownKey), fmt::format("unknown key \"{}\"", shownKey), suggestion(key, keysOf(schema))});
    }
}

}  // namespace

void validate(const FieldSchema& schema, const Json& given, const std::string& path, std::vector<Problem>& problems) {
    const Json value = expandShort(schema, given);
    if (value.is_null() && schema.nullable) return;
    if (value.is_string() && std::count(schema.alsoAccepts.begin(), schema.alsoAccepts.end(), value.get<std::string>())) return;
    if (!hasType(schema, value)) {
        problems.push_back({path, fmt::format("{} is of the wrong type", shown(value)), "use " + expectation(schema)});
        return;
    }
    switch (schema.type) {
    case Type::Integer:
    case Type::Number:
        if (const double number = value.get<double>(); !(number >= schema.minimum && number <= schema.maximum))
            problems.push_back({path, fmt::format("{} is out of range", shown(value)), "use " + expectation(schema)});
        break;
    case Type::Choice:
        if (const auto word = value.get<std::string>(); !std::count(schema.choices.begin(), schema.choices.end(), word))
            problems.push_back({path, fmt::format("unknown value \"{}\"", printableExcerpt(word, kLongestShown)),
                                suggestion(word, schema.choices)});
        break;
    case Type::List:
        for (std::size_t i = 0; i < value.size() && problems.size() < kMostProblems; ++i)
            validate(schema.fields.front(), value[i], childPath(path, std::to_string(i)), problems);
        break;
    case Type::Object: validateObject(schema, value, path, problems); break;
    default: break;
    }
}

Json withDefaults(const FieldSchema& schema, const Json& given) {
    Json value = expandShort(schema, given);
    if (schema.type == Type::List && value.is_array()) {
        for (auto& element : value) element = withDefaults(schema.fields.front(), element);
    } else if (schema.type == Type::Object && value.is_object()) {
        for (const auto& field : schema.fields) {
            if (const auto member = value.find(field.key); member != value.end())
                *member = *member == field.defaultValue ? field.defaultValue : withDefaults(field, *member);
            else if (!field.defaultValue.is_null() || field.nullable)
                value[field.key] = field.defaultValue;
            else if (field.type == Type::Object)
                value[field.key] = withDefaults(field, Json::object());
        }
    }
    return value;
}

Json withoutDefaults(const FieldSchema& schema, const Json& given) {
    Json value = expandShort(schema, given);
    if (schema.type == Type::List && value.is_array()) {
        for (auto& element : value) element = withoutDefaults(schema.fields.front(), element);
    } else if (schema.type == Type::Object && value.is_object()) {
        for (const auto& field : schema.fields) {
            const auto member = value.find(field.key);
            if (member == value.end()) continue;
            const bool isDefault = *member == field.defaultValue;
            Json rest = withoutDefaults(field, *member);
            const bool isWorthNothing = field.type == Type::Object && rest.empty() && !field.nullable;
            if (isDefault || isWorthNothing)
                value.erase(member);
            else
                *member = std::move(rest);
        }
    }
    return value;
}

const FieldSchema* findField(const FieldSchema& schema, const std::string& key) {
    const auto it =
        std::find_if(schema.fields.begin(), schema.fields.end(), [&](const FieldSchema& field) { return field.key == key; });
    return it == schema.fields.end() ? nullptr : &*it;
}

std::vector<std::string> keysOf(const FieldSchema& schema) {
    std::vector<std::string> keys;
    for (const auto& field : schema.fields) keys.push_back(field.key);
    return keys;
}

std::string childPath(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

Json::json_pointer pointerOf(const std::string& path) {
    Json::json_pointer pointer;
    if (path.empty()) return pointer;
    for (const std::string& key : splitAt(path, '.')) pointer /= key;
    return pointer;
}

void throwIfAny(const std::vector<Problem>& problems, const std::string& where) {
    if (problems.empty()) return;
    if (problems.size() == 1) {
        const auto& only = problems.front();
        throwInvalid(only.what, where.empty() || only.path.empty() ? where + only.path : where + ", " + only.path, only.next);
    }
    constexpr std::size_t kLongestLine = 500;  // characters
    std::string list = "correct each";
    const std::size_t listed = std::min(problems.size(), kMostProblems);
    for (const auto& problem : std::span(problems).first(listed))
        list += "\n  " + printableExcerpt(fmt::format("{}: {}: {}", problem.path, problem.what, problem.next), kLongestLine);
    throwInvalid(fmt::format("{}{} problems", listed < kMostProblems ? "" : "at least ", listed), where, list);
}

}  // namespace heddle
