// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A column of a printed table.
struct PublishedColumn {
    std::string id, title, unit, definition;
    std::string better;         ///< "higher" | "lower" | "" (neither)
    std::int64_t decimals = 2;  ///< as printed
    std::vector<std::string> remarks;
};

struct PublishedRow {
    std::string name, preset, note;
    std::string control;                   ///< what the row controls for ("parameters", "overfitting"), or empty
    std::map<std::string, double> values;  ///< by column id; absent where the table prints no value
    std::vector<std::string> remarks;      ///< ids
};

/// A remark on printed numbers, one sentence; the ids are those of the specification's lists.
struct PublishedRemark {
    std::string id, text;
};

/// A printed table, or a paper's statements about a figure: data in resources/published, numbers verbatim.
struct PublishedTable {
    std::string id, paper, table, title, source;
    std::vector<PublishedColumn> columns;
    std::vector<PublishedRow> rows;
    std::vector<std::string> statements;  ///< claims in words, where there are no numbers
    std::vector<PublishedRemark> remarks;

    const PublishedColumn& column(const std::string& columnId) const;  ///< throws std::out_of_range
    const PublishedRow* row(const std::string& name) const;            ///< null if there is none
};

/// Ids of the files in resources/published, sorted.
std::vector<std::string> publishedIds();

/// Throws Error(InvalidInput), naming the file and every problem: unknown keys, a value without column, an undefined remark.
PublishedTable readPublished(const std::string& id);

/// Schema of an entry of "columns"; recipes add columns of their own.
FieldSchema publishedColumnSchema();
PublishedColumn readColumn(const Json& document);

/// The number as the paper prints it: with the column's decimals, or thousands separators for integers, followed by the unit.
std::string printedText(const PublishedColumn& column, double value);

}  // namespace heddle
