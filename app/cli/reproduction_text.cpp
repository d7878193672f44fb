// SPDX-License-Identifier: Apache-2.0
#include "app/cli/reproduction_text.h"

#include "app/cli/terminal.h"
#include "engine/analysis/table_export.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

namespace heddle::app {
namespace {

constexpr std::size_t kWidth = 120, kLongestRow = 40;

/// Wraps a text to kWidth columns; the first line begins with `lead`, the others are indented equally.
std::string wrapped(const std::string& lead, const std::string& text) {
    const std::string indent(columnsOf(lead), ' ');
    std::string all, line = lead;
    std::istringstream words(text);
    bool isFirst = true;
    for (std::string word; words >> word; isFirst = false) {
        if (!isFirst && columnsOf(line) + 1 + columnsOf(word) > kWidth) {
            all += line + "\n";
            line = indent + word;
        } else {
            line += (isFirst ? "" : " ") + word;
        }
    }
    return all + line + "\n";
}

std::string wrappedList(const std::string& title, const std::vector<std::string>& entries) {
    if (entries.empty()) return "";
    std::string text = "\n" + title + "\n";
    for (const auto& entry : entries) text += wrapped("  - ", entry);
    return text;
}

/// "BLEU – teacher-forced (higher is better)  E10".
std::string headingOf(const ReproductionBlock& block) {
    std::string text = blockTitle(block);
    if (!block.column->better.empty()) text += fmt::format(" ({} is better)", block.column->better);
    if (!block.column->remarks.empty()) text += fmt::format("  {}", fmt::join(block.column->remarks, " "));
    return text;
}

std::vector<std::string> cellsOf(const ReproductionBlock& block, const ReproductionLine& line, const std::string& label) {
    const CellTexts texts = cellTexts(*block.column, line);
    std::string note = label;
    for (const auto& part : {texts.note, fmt::format("{}", fmt::join(line.remarks, " "))})
        if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
    return {"  " + cut(line.row, kLongestRow), texts.published, texts.measured, texts.n, texts.difference, note};
}

/// A block without measurements takes a few lines: the reason and the printed numbers.
std::string idleBlock(const ReproductionBlock& block, const std::string& label) {
    std::string numbers;
    for (const auto& line : block.lines)
        if (line.cell.published)
            numbers += fmt::format("{}{} {}", numbers.empty() ? "" : " · ", line.row,
                                   printedText(*block.column, *line.cell.published));
    return wrapped("  ", (label.empty() ? "" : label + ": ") + "not measured: " + block.lines.front().cell.why) +
           (numbers.empty() ? "" : wrapped("  published: ", numbers));
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// One table for all blocks, so that their columns are aligned; headings are inserted between its lines.
std::string blocksText(const ReproductionTable& table, const std::string& label) {
    Table all({"", "published", "measured", "n", "difference", "note"});
    for (const auto& block : table.blocks)
        if (!isIdle(block))
            for (const auto& line : block.lines) all.add(cellsOf(block, line, label));
    const auto lines = linesOf(all.right({1, 2, 3, 4}).text());
    std::string text = lines.size() > 1 ? cut(lines.front(), kWidth) + "\n" : "";
    std::size_t next = 1;
    for (const auto& block : table.blocks) {
        text += cut(headingOf(block), kWidth) + "\n";
        if (isIdle(block)) {
            text += idleBlock(block, label);
            continue;
        }
        for (std::size_t i = 0; i < block.lines.size(); ++i) text += cut(lines[next++], kWidth) + "\n";
    }
    return text;
}

/// The printed table, headed by column ids, with their definitions below.
std::string printedTable(const PublishedTable& published) {
    std::vector<std::string> head{""};
    std::vector<std::size_t> numbers;
    Table legend({});
    for (const auto& column : published.columns) {
        numbers.push_back(head.size());
        head.push_back(column.id);
        legend.add({"  " + column.id, column.title, fmt::format("{}", fmt::join(column.remarks, " "))});
    }
    Table table(head);
    for (const auto& row : published.rows) {
        std::vector<std::string> cells{"  " + cut(row.name, kLongestRow)};
        for (const auto& column : published.columns) {
            const auto value = row.values.find(column.id);
            cells.push_back(value == row.values.end() ? "–" : printedText(column, value->second));
        }
        cells.push_back(fmt::format("{}", fmt::join(row.remarks, " ")));
        table.add(std::move(cells));
    }
    return table.right(numbers).text() + legend.text();
}

std::string remarksText(const PublishedTable& published) {
    std::string text;
    std::size_t width = 0;
    for (const auto& remark : published.remarks) width = std::max(width, columnsOf(remark.id));
    for (const auto& remark : published.remarks)
        text += wrapped("  " + remark.id + std::string(width - columnsOf(remark.id) + 2, ' '), remark.text);
    return text.empty() ? "" : "\nremarks\n" + text;
}

std::string scaleText(const Reproduction& reproduction) {
    const auto& scale = reproduction.scale();
    if (scale.label.empty()) return "";
    std::string text = (reproduction.isQuick() ? "QUICK VERSION, not the paper's experiment: " : "") + scale.label;
    if (!scale.time.empty()) text += "; takes " + scale.time;
    return wrapped("", text);
}

std::string titleText(const Reproduction& reproduction) {
    const auto& published = reproduction.recipe().published;
    std::string text = wrapped("", reproduction.recipe().title);
    if (!published.paper.empty()) text += wrapped("", published.paper + ", " + published.table + " (" + published.source + ")");
    return text;
}

/// The folders of the data, which reveal another corpus with the same file names.
std::string dataText(const Reproduction& reproduction) {
    std::string text;
    for (const auto& data : reproduction.recipe().data)
        for (const auto& [file, path] : reproduction.paths())
            if (file.starts_with(data.id + ":")) {
                std::string folder = std::filesystem::path(path).parent_path().string();
                text += wrapped("data: ", data.title + ", read from " + folder);
                break;
            }
    return text;
}

std::string differencesText(const Reproduction& reproduction) {
    return wrappedList("what differs from the paper", reproduction.differences());
}

}  // namespace

std::string runsLine(const Reproduction& reproduction) {
    std::map<std::string, int> counts;
    for (const auto& item : reproduction.items()) ++counts[std::string(name(item.state))];
    std::string text;
    for (const auto& [state, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text.empty() ? "" : fmt::format("runs: {}; tag {}\n", text, reproduction.tag());
}

std::string missingText(const Reproduction& reproduction) {
    std::string text, title;
    for (const auto& file : reproduction.missing()) {
        const auto folder = std::filesystem::path(reproduction.request().dataFolder) / file.folder;
        if (file.title != title)
            text +=
                wrapped("  ", fmt::format("{}, from {}, into {}:", file.title, file.from, folder.lexically_normal().string()));
        title = file.title;
        text += wrapped("    ", fmt::format("{}", fmt::join(file.names, " or ")));
    }
    return text;
}

std::string reproductionText(const Reproduction& reproduction, const ReproductionTable& table) {
    const auto& recipe = reproduction.recipe();
    std::string text = titleText(reproduction) + scaleText(reproduction) + dataText(reproduction);
    if (!recipe.why.empty()) text += wrapped("", "published numbers only: " + recipe.why);
    text += '\n';
    text += recipe.why.empty() ? blocksText(table, reproduction.isQuick() ? "quick" : "") : printedTable(recipe.published);
    text += wrappedList("what the text says", recipe.published.statements);
    text += remarksText(recipe.published) + differencesText(reproduction);
    if (!reproduction.missing().empty()) text += "\nmissing data\n" + missingText(reproduction);
    const std::string runs = runsLine(reproduction);
    return text + (runs.empty() ? "" : "\n" + runs);
}

std::string reproductionPlanText(const Reproduction& reproduction) {
    Table table({"run", "seed", "preset", "state", "note"});
    for (const auto& item : reproduction.items()) {
        std::string note = item.id.empty() ? "" : "run " + item.id;
        if (!item.waitsFor.empty()) note = "after " + item.waitsFor;
        if (!item.problem.empty()) note = "cannot be trained: see below";
        if (!item.missing.empty())
            note = fmt::format("{} file{} missing", item.missing.size(), item.missing.size() == 1 ? "" : "s");
        table.add({cut(item.run->name, kLongestRow), std::to_string(item.seed), item.run->preset, std::string(name(item.state)),
                   note});
    }
    std::string text = titleText(reproduction) + scaleText(reproduction) + dataText(reproduction);
    text += reproduction.items().empty() ? "\nnothing is trained\n" : "\n" + table.right({1}).text();
    std::vector<std::string> problems;
    for (const auto& item : reproduction.items())
        if (!item.problem.empty() && item.seed == reproduction.recipe().firstSeed)
            problems.push_back(item.run->name + ": " + printable(item.problem));
    text += wrappedList("runs that cannot be trained", problems);
    if (!reproduction.missing().empty()) text += "\nmissing data\n" + missingText(reproduction);
    const std::string runs = runsLine(reproduction);
    return text + differencesText(reproduction) + (runs.empty() ? "" : "\n" + runs);
}

std::string reproductionMarkdown(const Reproduction& reproduction, const ReproductionTable& table) {
    const auto& recipe = reproduction.recipe();
    const auto& published = recipe.published;
    std::string text = fmt::format("# {}\n\n", recipe.title);
    if (!published.paper.empty()) text += fmt::format("{}, {} ({}).\n\n", published.paper, published.table, published.source);
    if (reproduction.isQuick()) text += "**Quick version, not the paper's experiment.** ";
    if (!reproduction.scale().label.empty()) text += fmt::format("{}.\n\n", reproduction.scale().label);
    if (!recipe.why.empty()) text += fmt::format("Published numbers only: {}\n\n", recipe.why);
    for (const auto& block : table.blocks) {
        text += fmt::format("## {}\n\n{}\n\n", headingOf(block), block.column->definition);
        ExportedTable rows{{"", "published", "measured", "n", "difference", "note"}, {}};
        for (const auto& line : block.lines) rows.rows.push_back(cellsOf(block, line, reproduction.isQuick() ? "quick" : ""));
        text += tableText(rows, TableFormat::Markdown);
        text += "\n";
    }
    const auto list = [&](const std::string& title, const std::vector<std::string>& entries) {
        if (entries.empty()) return;
        text += "## " + title + "\n\n";
        for (const auto& entry : entries) text += "- " + entry + "\n";
        text += "\n";
    };
    list("What the text says", published.statements);
    std::vector<std::string> remarks, files;
    for (const auto& remark : published.remarks) remarks.push_back(remark.id + ": " + remark.text);
    for (const auto& file : reproduction.missing())
        files.push_back(fmt::format("{} ({}: {})", fmt::join(file.names, " or "), file.title, file.from));
    list("Remarks", remarks);
    list("What differs from the paper", reproduction.differences());
    list("Missing data", files);
    return text + runsLine(reproduction);
}

}  // namespace heddle::app
