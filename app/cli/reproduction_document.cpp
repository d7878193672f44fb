// SPDX-License-Identifier: Apache-2.0
#include "app/cli/reproduction_text.h"
#include "engine/analysis/spread.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::app {
namespace {

using State = ReproductionCell::State;

Json cellDocument(const ReproductionCell& cell) {
    Json measured, difference;
    if (!cell.values.empty()) {
        const Spread spread = spreadOf(cell.values);
        measured = {{"mean", spread.mean}, {"sd", orNull(spread.deviation)}, {"n", spread.n},        {"values", cell.values},
                    {"runs", cell.runs},   {"signature", cell.signature},    {"remark", cell.remark}};
        if (cell.published) difference = spread.mean - *cell.published;
    }
    return {{"published", orNull(cell.published)}, {"measured", measured},      {"difference", difference},
            {"expected", cell.expected},           {"state", name(cell.state)}, {"why", cell.why}};
}

Json blockDocument(const ReproductionBlock& block) {
    Json lines = Json::array();
    for (const auto& line : block.lines) {
        Json document = cellDocument(line.cell);
        document.update({{"row", line.row},
                         {"note", line.note},
                         {"control", line.control},
                         {"printed", line.isPrinted},
                         {"remarks", line.remarks}});
        lines.push_back(std::move(document));
    }
    const auto& column = *block.column;
    return {{"column", column.id},
            {"title", column.title},
            {"reading", block.reading},
            {"unit", column.unit},
            {"definition", column.definition},
            {"better", column.better},
            {"remarks", column.remarks},
            {"rows", lines}};
}

Json runsDocument(const Reproduction& reproduction) {
    Json runs = Json::array();
    for (const auto& item : reproduction.items())
        runs.push_back({{"name", item.run->name},
                        {"row", item.run->row},
                        {"preset", item.run->preset},
                        {"seed", item.seed},
                        {"state", name(item.state)},
                        {"run", item.id.empty() ? Json() : Json(item.id)},
                        {"reason", item.reason},
                        {"missing", item.missing},
                        {"problem", item.problem}});
    return runs;
}

Json missingDocument(const Reproduction& reproduction) {
    Json files = Json::array();
    for (const auto& file : reproduction.missing())
        files.push_back(
            {{"name", file.name}, {"files", file.names}, {"folder", file.folder}, {"title", file.title}, {"from", file.from}});
    return files;
}

}  // namespace

Json reproductionDocument(const Reproduction& reproduction, const ReproductionTable& table) {
    const auto& recipe = reproduction.recipe();
    const auto& published = recipe.published;
    Json blocks = Json::array(), remarks = Json::array();
    for (const auto& block : table.blocks) blocks.push_back(blockDocument(block));
    for (const auto& remark : published.remarks) remarks.push_back({{"id", remark.id}, {"text", remark.text}});
    return {{"schema", "heddle.reproduction/1"},
            {"table", recipe.id},
            {"title", recipe.title},
            {"paper", published.paper},
            {"source", published.source},
            {"quick", reproduction.isQuick()},
            {"label", reproduction.scale().label},
            {"complete", table.isComplete()},
            {"published_only", recipe.why},
            {"seeds", reproduction.seeds()},
            {"tag", reproduction.tag()},
            {"columns", blocks},
            {"statements", published.statements},
            {"remarks", remarks},
            {"differs", reproduction.differences()},
            {"missing_data", missingDocument(reproduction)},
            {"runs", runsDocument(reproduction)}};
}

std::string blockTitle(const ReproductionBlock& block) {
    return block.column->title + (block.reading.empty() ? "" : " – " + block.reading);
}

bool isIdle(const ReproductionBlock& block) {
    return std::all_of(block.lines.begin(), block.lines.end(), [&](const auto& line) {
        return line.cell.values.empty() && line.cell.why == block.lines.front().cell.why;
    });
}

CellTexts cellTexts(const PublishedColumn& column, const ReproductionLine& line) {
    const auto& cell = line.cell;
    CellTexts texts{cell.published ? printedText(column, *cell.published) : "–", "–", "", "", cell.why};
    if (!cell.values.empty()) {
        const Spread spread = spreadOf(cell.values);
        texts.measured = printedText(column, spread.mean);
        if (spread.deviation) texts.measured += " ± " + printedText(column, *spread.deviation);
        texts.n = cell.runs.empty() ? "" : std::to_string(spread.n);  // counts have no repetitions
        if (cell.published) {
            // Differences below the last printed digit are ignored.
            const double half = 0.5 * std::pow(10.0, -static_cast<double>(column.decimals));
            const double difference = spread.mean - *cell.published;
            texts.difference = std::abs(difference) < half
                                   ? "0"
                                   : fmt::format("{}{}", difference > 0 ? "+" : "", printedText(column, difference));
        }
        if (cell.runs.empty()) texts.note = cell.signature;
        if (cell.values.size() < cell.expected)
            texts.note = fmt::format("{} of {} runs; {}", cell.values.size(), cell.expected, cell.why);
    }
    const auto add = [&](const std::string& part) { texts.note += (texts.note.empty() ? "" : "; ") + part; };
    if (!cell.remark.empty()) add(cell.remark);
    if (!line.control.empty()) add("controls for " + line.control);
    if (!line.isPrinted) add("ours, not in the paper");
    return texts;
}

}  // namespace heddle::app
