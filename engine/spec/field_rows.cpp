// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/field_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace heddle {
namespace {

/// Omits bounds so large that no user reaches them.
std::string rangeOf(const FieldSchema& field) {
    constexpr double kOutOfReach = 1e9;
    const bool hasLow = field.minimum > -kOutOfReach, hasHigh = field.maximum < kOutOfReach;
    if (hasLow && hasHigh) return fmt::format("{} … {}", field.minimum, field.maximum);
    if (hasLow) return fmt::format("{} or more", field.minimum);
    return hasHigh ? fmt::format("{} or less", field.maximum) : "any number";
}

}  // namespace

std::string valuesOf(const FieldSchema& field) {
    std::string text;
    switch (field.type) {
    case FieldSchema::Type::Boolean: text = "`true`, `false`"; break;
    case FieldSchema::Type::Choice: text = fmt::format("`{}`", fmt::join(field.choices, "`, `")); break;
    case FieldSchema::Type::Integer:
    case FieldSchema::Type::Number:
        text = rangeOf(field);
        if (field.type == FieldSchema::Type::Integer) text += ", whole";
        break;
    case FieldSchema::Type::List: text = "list of: " + valuesOf(field.fields.front()); break;
    case FieldSchema::Type::Object:
    case FieldSchema::Type::Any: text = "object"; break;
    case FieldSchema::Type::Block: text = fmt::format("a block of slot `{}`", field.slot); break;
    case FieldSchema::Type::String: text = "text"; break;
    }
    if (!field.unit.empty()) text += " (" + field.unit + ")";
    if (!field.alsoAccepts.empty()) text += fmt::format(", `\"{}\"`", fmt::join(field.alsoAccepts, "\"`, `\""));
    return field.nullable ? text + ", `null`" : text;
}

std::vector<FieldRow> fieldRows(const FieldSchema& field, const std::string& path) {
    const bool hasMembers = field.type == FieldSchema::Type::Object || field.type == FieldSchema::Type::Block;
    std::vector<FieldRow> rows{
        {path, valuesOf(field), field.defaultValue.is_null() && !field.nullable ? "" : field.defaultValue.dump(), field.help}};
    if (!hasMembers) return rows;
    for (const auto& member : field.fields) {
        auto below = fieldRows(member, childPath(path, member.key));
        rows.insert(rows.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
    }
    return rows;
}

std::string markdownRows(const std::vector<FieldRow>& rows) {
    std::string out;
    for (const auto& row : rows) {
        const std::string given = row.defaultValue.empty() ? "" : "`" + row.defaultValue + "`";
        out += fmt::format("| `{}` | {} | {} | {} |\n", row.path, given, row.values, row.help);
    }
    return out;
}

}  // namespace heddle
