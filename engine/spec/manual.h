// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"
#include "engine/spec/field_schema.h"

#include <string>
#include <vector>

namespace heddle {

/// Documentation of one key of a spec.
struct FieldRow {
    std::string path;          ///< "train.schedule.kind"
    std::string values;        ///< Markdown: "0 or more, whole (steps)", "`words`, `characters`"
    std::string defaultValue;  ///< as JSON; empty: none
    std::string help;          ///< one sentence
};

/// The allowed values of a field, as in FieldRow::values.
std::string valuesOf(const FieldSchema& field);

/// The rows of a field and, recursively, of its members.
std::vector<FieldRow> fieldRows(const FieldSchema& field, const std::string& path);

/// Rows of a Markdown table: path, default, values, help.
std::string markdownRows(const std::vector<FieldRow>& rows);

/// The reference manual of every block and preset as Markdown, from the descriptors alone: resources/help/blocks.md, which a
/// test keeps up to date (`heddle blocks manual` prints it).
std::string blockManual(const Catalogue& catalogue);

/// All keys of a run spec, including the variant's, in document order.
std::vector<FieldRow> specRows();

/// The reference of the run spec as Markdown: resources/help/spec.md, which a test keeps up to date (`heddle spec --markdown`).
std::string specManual();

}  // namespace heddle
