// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// One kind of number in a printed table.
struct PublishedColumn {
    std::string id, title, unit, definition;
    std::string better;         ///< "higher" | "lower" | "" where neither is the aim
    std::int64_t decimals = 2;  ///< as printed
    std::vector<std::string> remarks;
};

struct PublishedRow {
    std::string name, preset, note;
    std::string control;                   ///< what the row controls for ("parameters", "overfitting"), or empty
    std::map<std::string, double> values;  ///< by column id; a column that is not printed for the row is absent
    std::vector<std::string> remarks;      ///< ids
};

/// What is odd about printed numbers, in a sentence; the ids are those of the specification's lists.
struct PublishedRemark {
    std::string id, text;
};

/// A printed table, or what a paper's text says of a figure: data in resources/published, numbers verbatim.
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

/// Throws Error(InvalidInput) that names the file and every problem: unknown keys, a value of no column, a remark that is cited
/// and not there.
PublishedTable readPublished(const std::string& id);

const FieldSchema& publishedSchema();
/// Of one entry of "columns"; recipes add columns of their own.
FieldSchema publishedColumnSchema();
PublishedColumn readColumn(const Json& document);

/// The number as the paper prints it: the column's decimals, thousands separated where there are none, the unit last.
std::string printedText(const PublishedColumn& column, double value);

}  // namespace heddle
