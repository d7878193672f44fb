// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>
#include <vector>

namespace heddle {

/// One key of a spec, in words.
struct FieldRow {
    std::string path;          ///< "train.schedule.kind"
    std::string values;        ///< Markdown: "0 or more, whole (steps)", "`words`, `characters`"
    std::string defaultValue;  ///< as JSON; empty where there is none
    std::string help;          ///< one sentence
};

/// What a field may hold, as in FieldRow::values.
std::string valuesOf(const FieldSchema& field);

/// The row of a field and, below it, of all its members.
std::vector<FieldRow> fieldRows(const FieldSchema& field, const std::string& path);

/// Rows of a Markdown table: path, default, values, help.
std::string markdownRows(const std::vector<FieldRow>& rows);

}  // namespace heddle
