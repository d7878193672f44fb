// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/published.h"

#include "engine/analysis/document_schema.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/resources.h"
#include "engine/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace heddle {
namespace {

using namespace schema;

FieldSchema publishedSchema() {
    return object(
        "published", "A printed table as data.",
        {choice("schema", {"heddle.published/1"}, "Kind and version of this file."), text("id", "Name of the file."),
         text("paper", "Authors' title."), text("table", "Table or figure, as the paper numbers it."),
         text("title", "Caption."), text("source", "Where the numbers stand."),
         list("columns", publishedColumnSchema(), "The kinds of numbers."),
         list("rows",
              object("", "One model or data set.",
                     {text("name", "As printed, abbreviations written out."), optionalText("preset", "Its variant here."),
                      optionalText("note", "Settings."), optionalText("control", "What the row controls for."),
                      withDefault(field("values", FieldSchema::Type::Any, "Number by column."), Json::object()),
                      words("remarks", "Ids.")}),
              "The lines."),
         words("statements", "What the text claims in words."),
         list("remarks", object("", "One remark.", {text("id", "E10, S8, T13, …"), text("text", "One or two sentences.")}),
              "Contradictions and gaps.")});
}

/// Checks what the schema cannot express: values belong to columns, cited remarks exist, names are unique.
void checkReferences(const PublishedTable& table, std::vector<Problem>& problems) {
    std::set<std::string> columns, remarks, rows;
    for (const auto& column : table.columns)
        if (!columns.insert(column.id).second) problems.push_back({column.id, "duplicate column id", "rename one of them"});
    for (const auto& remark : table.remarks)
        if (!remarks.insert(remark.id).second) problems.push_back({remark.id, "duplicate remark id", "merge them"});
    const auto cite = [&](const std::string& path, const std::vector<std::string>& cited) {
        for (const auto& id : cited)
            if (!remarks.contains(id))
                problems.push_back({path, fmt::format("refers to an undefined remark \"{}\"", id), "add it"});
    };
    for (const auto& column : table.columns) cite(column.id, column.remarks);
    for (const auto& row : table.rows) {
        if (!rows.insert(row.name).second) problems.push_back({row.name, "duplicate row name", "tell them apart"});
        cite(row.name, row.remarks);
        for (const auto& [column, value] : row.values)
            if (!columns.contains(column))
                problems.push_back({row.name, fmt::format("unknown column \"{}\"", column), "correct it"});
    }
}

PublishedTable tableFromDocument(const Json& d, std::vector<Problem>& problems) {
    PublishedTable table{d["id"], d["paper"], d["table"], d["title"], d["source"], {}, {}, d["statements"], {}};
    for (const auto& c : d["columns"]) table.columns.push_back(readColumn(c));
    for (const auto& r : d["rows"]) {
        PublishedRow row{r["name"], r["preset"], r["note"], r["control"], {}, r["remarks"]};
        for (const auto& [column, value] : r["values"].items()) {
            if (value.is_number())
                row.values[column] = value;
            else
                problems.push_back(
                    {row.name + "." + column, "is not a number", "leave out values that the paper does not print"});
        }
        table.rows.push_back(std::move(row));
    }
    for (const auto& r : d["remarks"]) table.remarks.push_back({r["id"], r["text"]});
    checkReferences(table, problems);
    return table;
}

}  // namespace

FieldSchema publishedColumnSchema() {
    return object("", "One kind of number.",
                  {text("id", "Short name."), text("title", "Head of the column."), optionalText("unit", "Behind the number."),
                   text("definition", "What is measured, as far as the paper says."),
                   withDefault(choice("better", {"", "higher", "lower"}, "What the authors aim at."), ""),
                   withDefault(integer("decimals", {0, 6}, "digits", "As printed."), 2), words("remarks", "Ids.")});
}

PublishedColumn readColumn(const Json& c) {
    return {c["id"], c["title"], c["unit"], c["definition"], c["better"], c["decimals"], c["remarks"]};
}

const PublishedColumn& PublishedTable::column(const std::string& columnId) const {
    for (const auto& column : columns)
        if (column.id == columnId) return column;
    throw std::out_of_range("no column " + columnId);
}

const PublishedRow* PublishedTable::row(const std::string& name) const {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> publishedIds() { return shippedNames("published"); }

PublishedTable readPublished(const std::string& id) {
    const auto known = publishedIds();
    if (!contains(known, id))
        throwInvalid(fmt::format("unknown published table \"{}\"", id), "published", suggestion(id, known));
    const std::string file = resourcePath("published/" + id + ".json");
    std::vector<Problem> problems;
    PublishedTable table = tableFromDocument(readShipped(publishedSchema(), file), problems);
    if (table.id != id) problems.push_back({"id", "differs from the name of the file", "write \"" + id + "\""});
    throwIfAny(problems, file);
    return table;
}

std::string printedText(const PublishedColumn& column, double value) {
    std::string text = fmt::format("{:.{}f}", value, column.decimals);
    if (column.decimals == 0) text = groupedDigits(std::move(text));
    return text + column.unit;
}

}  // namespace heddle
