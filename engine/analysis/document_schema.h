// SPDX-License-Identifier: Apache-2.0
// Schema builders for shipped documents (published tables, recipes), beside engine/spec/field_table.h.
#pragma once

#include "engine/spec/field_table.h"

namespace heddle::schema {

/// A list; absent means empty.
inline FieldSchema list(const std::string& key, FieldSchema element, const std::string& help) {
    FieldSchema made = field(key, FieldSchema::Type::List, help);
    made.fields = {std::move(element)};
    made.defaultValue = Json::array();
    return made;
}

inline FieldSchema words(const std::string& key, const std::string& help) { return list(key, text("", "One of them."), help); }

/// A text; absent means empty.
inline FieldSchema optionalText(const std::string& key, const std::string& help) { return withDefault(text(key, help), ""); }

/// Reads a shipped file, checks it against its schema and fills in the defaults. Throws Error(InvalidInput) naming every
/// problem.
Json readShipped(const FieldSchema& schema, const std::string& file);

/// Names of the .json files of a folder of the resources, sorted.
std::vector<std::string> shippedNames(const std::string& folder);

}  // namespace heddle::schema
