// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/table_export.h"

#include "engine/base/table_cell.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

using Row = std::vector<std::string>;
using Replacement = std::pair<std::string_view, std::string_view>;

std::string replaced(const std::string& text, const auto& replacements) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        const auto found = std::find_if(replacements.begin(), replacements.end(), [&](const Replacement& one) {
            return std::string_view(text).substr(at).starts_with(one.first);
        });
        if (found == replacements.end()) {
            made += text[at++];
            continue;
        }
        made += found->second;
        at += found->first.size();
    }
    return made;
}

std::string markdownCell(const std::string& text) {
    static constexpr std::array kEscapes{Replacement{"\\", "\\\\"}, Replacement{"|", "\\|"}, Replacement{"*", "\\*"},
                                         Replacement{"_", "\\_"},   Replacement{"`", "\\`"}, Replacement{"<", "&lt;"},
                                         Replacement{"&", "&amp;"}, Replacement{"\n", " "}};
    return replaced(text, kEscapes);
}

std::string latexCell(const std::string& text) {
    static constexpr std::array kEscapes{Replacement{"\\", "\\textbackslash{}"},
                                         Replacement{"{", "\\{"},
                                         Replacement{"}", "\\}"},
                                         Replacement{"$", "\\$"},
                                         Replacement{"&", "\\&"},
                                         Replacement{"#", "\\#"},
                                         Replacement{"%", "\\%"},
                                         Replacement{"_", "\\_"},
                                         Replacement{"^", "\\textasciicircum{}"},
                                         Replacement{"~", "\\textasciitilde{}"},
                                         Replacement{"<", "\\textless{}"},
                                         Replacement{">", "\\textgreater{}"},
                                         Replacement{"\n", " "},
                                         Replacement{"±", "$\\pm$"},
                                         Replacement{"−", "$-$"},
                                         Replacement{"–", "--"},
                                         Replacement{"†", "\\dag{}"},
                                         Replacement{"·", "$\\cdot$"},
                                         Replacement{"×", "$\\times$"},
                                         Replacement{"…", "\\ldots{}"},
                                         Replacement{"≤", "$\\leq$"},
                                         Replacement{"≥", "$\\geq$"}};
    return replaced(text, kEscapes);
}

std::string line(const Row& row, std::string_view between, std::string (*cell)(const std::string&)) {
    std::string made;
    for (std::size_t i = 0; i < row.size(); ++i) made += (i == 0 ? std::string() : std::string(between)) + cell(row[i]);
    return made;
}

std::string plainCell(const std::string& text) { return tableCell(text); }

std::string separated(const ExportedTable& table, std::string_view between, std::string (*cell)(const std::string&)) {
    std::string made = line(table.columns, between, cell) + '\n';
    for (const Row& row : table.rows) made += line(row, between, cell) + '\n';
    return made;
}

std::string markdown(const ExportedTable& table) {
    std::string made = "| " + line(table.columns, " | ", markdownCell) + " |\n|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) made += i < table.textColumns ? " :--- |" : " ---: |";
    made += '\n';
    for (const Row& row : table.rows) made += "| " + line(row, " | ", markdownCell) + " |\n";
    return table.note.empty() ? made : made + '\n' + markdownCell(table.note) + '\n';
}

std::string latex(const ExportedTable& table) {
    std::string made = "% \\usepackage{booktabs}\n\\begin{tabular}{";
    for (std::size_t i = 0; i < table.columns.size(); ++i) made += i < table.textColumns ? 'l' : 'r';
    made += "}\n\\toprule\n" + line(table.columns, " & ", latexCell) + " \\\\\n\\midrule\n";
    for (const Row& row : table.rows) made += line(row, " & ", latexCell) + " \\\\\n";
    made += "\\bottomrule\n\\end{tabular}\n";
    return table.note.empty() ? made : made + "\n" + latexCell(table.note) + '\n';
}

}  // namespace

std::string csvCell(const std::string& text) {
    std::string cell = tableCell(text);
    if (cell.find_first_of(",\"") == std::string::npos) return cell;
    return '"' + replaced(cell, std::array{Replacement{"\"", "\"\""}}) + '"';
}

std::optional<TableFormat> tableFormatOf(std::string file) {
    for (char& c : file) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    static const std::array<std::pair<std::string_view, TableFormat>, 5> kEnds{{{".tsv", TableFormat::Tsv},
                                                                                {".txt", TableFormat::Tsv},
                                                                                {".csv", TableFormat::Csv},
                                                                                {".md", TableFormat::Markdown},
                                                                                {".tex", TableFormat::Latex}}};
    for (const auto& [end, format] : kEnds)
        if (file.ends_with(end)) return format;
    return std::nullopt;
}

std::string tableText(const ExportedTable& table, TableFormat format) {
    switch (format) {
    case TableFormat::Tsv: return separated(table, "\t", plainCell);
    case TableFormat::Csv: return separated(table, ",", csvCell);
    case TableFormat::Markdown: return markdown(table);
    case TableFormat::Latex: return latex(table);
    }
    return {};
}

}  // namespace heddle
