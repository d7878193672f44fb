// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/manual.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace heddle::app {
namespace {

const char* nameOf(Exposure::Quantity quantity) {
    switch (quantity) {
    case Exposure::Quantity::Weight: return "weight";
    case Exposure::Quantity::Score: return "score";
    case Exposure::Quantity::UnitGate: return "unit_gate";
    case Exposure::Quantity::SignedGate: return "signed_gate";
    case Exposure::Quantity::Delta: return "delta";
    case Exposure::Quantity::Scalar: return "scalar";
    }
    return "";
}

const char* nameOf(FieldSchema::Type type) {
    switch (type) {
    case FieldSchema::Type::Boolean: return "boolean";
    case FieldSchema::Type::Integer: return "integer";
    case FieldSchema::Type::Number: return "number";
    case FieldSchema::Type::String: return "string";
    case FieldSchema::Type::Choice: return "choice";
    case FieldSchema::Type::List: return "list";
    case FieldSchema::Type::Object: return "object";
    case FieldSchema::Type::Block: return "block";
    case FieldSchema::Type::Any: return "any";
    }
    return "";
}

Json documentOf(const BlockDescriptor& block) {
    Json parameters = Json::array(), exposures = Json::array();
    for (const auto& p : block.parameters) {
        Json one = {{"key", p.key}, {"type", nameOf(p.type)}, {"default", p.defaultValue}, {"help", p.help}, {"unit", p.unit}};
        if (!p.choices.empty()) one["choices"] = p.choices;
        if (std::isfinite(p.minimum)) one["minimum"] = p.minimum;
        if (std::isfinite(p.maximum)) one["maximum"] = p.maximum;
        parameters.push_back(std::move(one));
    }
    for (const auto& e : block.exposures)
        exposures.push_back({{"id", e.id},
                             {"title", e.title},
                             {"quantity", nameOf(e.quantity)},
                             {"axes", e.axes},
                             {"low", e.low},
                             {"high", e.high},
                             {"clampable", e.clampable}});
    Json formulas = Json::array();
    for (const FormulaCase& other : otherFormulas(block))
        formulas.push_back({{"option", other.option}, {"value", other.value}, {"formula", other.formula}});
    return {{"formulas", formulas},         {"slot", block.slot},       {"id", block.id},
            {"title", block.title},         {"summary", block.summary}, {"formula", block.formula},
            {"reference", block.reference}, {"parameters", parameters}, {"exposures", exposures},
            {"reading", block.reading}};
}

int list(const std::string& slot, const Context& context) {
    const Catalogue& catalogue = builtinCatalogue();
    if (const auto slots = catalogue.slots(); !slot.empty() && !contains(slots, slot))
        throw Error(ErrorCode::Usage, fmt::format("unknown slot \"{}\"", slot), "--slot", suggestion(slot, slots));
    Json all = Json::array();
    Table table({"slot", "block", "summary"});
    for (const auto& block : catalogue.blocks()) {
        if (!slot.empty() && block.slot != slot) continue;
        all.push_back(documentOf(block));
        table.add({block.slot, block.id, block.summary});
    }
    context.print({{"schema", "heddle.blocks/1"}, {"blocks", all}}, table.text());
    return 0;
}

std::string textOf(const BlockDescriptor& block) {
    std::string text = fmt::format("{} {}: {}\n{}\n  {}\n", block.slot, block.id, block.title, block.summary, block.formula);
    for (const FormulaCase& other : otherFormulas(block))
        text += fmt::format("  with {}: {}\n", optionText(other), other.formula);
    text += fmt::format("  {}\n", block.reference);
    if (!block.reading.empty()) text += "  " + block.reading + "\n";
    if (!block.parameters.empty()) {
        Table table({"  parameter", "type", "default", ""});
        for (const auto& p : block.parameters)
            table.add({"  " + p.key, p.choices.empty() ? nameOf(p.type) : fmt::format("{}", fmt::join(p.choices, "|")),
                       p.defaultValue.dump(), p.help + (p.unit.empty() ? "" : " (" + p.unit + ")")});
        text += table.text();
    }
    for (const auto& e : block.exposures) text += fmt::format("  shows {}: {} [{}]\n", e.id, e.title, e.axes);
    return text;
}

/// Blocks named "residual/grc", or all blocks with id "grc".
std::vector<const BlockDescriptor*> findBlocks(const std::string& name) {
    std::vector<const BlockDescriptor*> found;
    std::vector<std::string> known;
    for (const auto& block : builtinCatalogue().blocks()) {
        if (block.id == name || block.slot + "/" + block.id == name) found.push_back(&block);
        known.push_back(block.id);
    }
    if (found.empty())
        throw Error(ErrorCode::Usage, fmt::format("unknown block \"{}\"", name), "BLOCK", suggestion(name, known));
    return found;
}

int showBlock(const std::string& name, const Context& context) {
    Json all = Json::array();
    std::string text;
    for (const auto* block : findBlocks(name)) {
        all.push_back(documentOf(*block));
        text += fmt::format("{}{}", text.empty() ? "" : "\n", textOf(*block));
    }
    context.print({{"schema", "heddle.blocks/1"}, {"blocks", all}}, text);
    return 0;
}

}  // namespace

void addBlocks(CommandBuilder& root) {
    CommandBuilder blocks = root.command("blocks", "The catalogue of blocks that variants are made of");
    auto slot = std::make_shared<std::string>();
    blocks.command("list", "List the blocks")
        .option("--slot", *slot, "SLOT", "Of one slot only")
        .examples("heddle blocks list --slot residual")
        .action([slot](Context& context) { return list(*slot, context); });
    auto block = std::make_shared<std::string>();
    blocks.command("show", "Show a block: formula, reference, parameters, what it lets you see")
        .positional("BLOCK", *block, "Id, or slot/id")
        .examples("heddle blocks show grc\nheddle blocks show residual/none")
        .action([block](Context& context) { return showBlock(*block, context); });
    blocks.command("manual", "Print the reference manual of all blocks and presets as Markdown")
        .examples("heddle blocks manual > resources/help/blocks.md")
        .action([](Context& context) {
            context.out << blockManual(builtinCatalogue());
            return 0;
        });
}

}  // namespace heddle::app
