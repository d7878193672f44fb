// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/manual.h"

#include "engine/base/printable.h"
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <utility>

namespace heddle {
namespace {

/// Omits bounds so large that no user reaches them.
std::string rangeOf(const FieldSchema& field) {
    constexpr double kOutOfReach = 1e9;
    const bool hasLow = field.minimum > -kOutOfReach, hasHigh = field.maximum < kOutOfReach;
    if (hasLow && hasHigh) return fmt::format("{} … {}", field.minimum, field.maximum);
    if (hasLow) return fmt::format("{} or more", field.minimum);
    return hasHigh ? fmt::format("{} or less", field.maximum) : "any number";
}

/// A slot's schema and its path in a variant; empty for a slot that variants do not have.
struct SlotPlace {
    const FieldSchema* field;
    std::string where;
};

SlotPlace placeOf(const std::string& slot) {
    if (const auto* field = findField(variantSchema(), slot)) return {field, slot};
    if (const auto* field = findField(fieldOf(variantSchema(), "encoder"), slot))
        return {field, "encoder." + slot + ", decoder." + slot};
    if (const auto* field = findField(fieldOf(variantSchema(), "defaults"), slot))
        return {field, "defaults." + slot + ", or a sublayer's " + slot};
    return {nullptr, slot};
}

/// A context with the sizes of the base model of Vaswani et al. 2017, for the numbers in the manual.
BlockContext exampleContext(const BlockDescriptor& block) {
    BlockContext where;
    where.dims.vocabSrc = where.dims.vocabTgt = 37000;
    where.stack = StackName::Encoder;
    where.sublayer = block.slot == "ffn" ? SublayerName::Ffn : SublayerName::Self;
    where.sequence = where.dims.maxLen;
    return where;
}

std::string blockText(const BlockDescriptor& block, bool isDefault) {
    std::string out =
        fmt::format("### {} `{}`{}\n\n{}\n\n", block.title, block.id, isDefault ? " (default)" : "", block.summary);
    out += fmt::format("    {}\n\n", block.formula);
    const std::vector<FormulaCase> others = otherFormulas(block);
    for (const FormulaCase& other : others) out += fmt::format("- with `{}`: `{}`\n", optionText(other), other.formula);
    if (!others.empty()) out += "\n";
    out += fmt::format("Shapes: {}\n\n", block.shapes);
    out += fmt::format("Source: {}\n\n", block.reference);
    if (!block.reading.empty()) out += fmt::format("{}\n\n", block.reading);
    const Json params = withDefaults(parameterSchema(block), Json::object());
    const BlockContext where = exampleContext(block);
    const auto flops = std::llround(block.flopsPerToken(where, params));
    out +=
        fmt::format("Cost at d = 512, f = 2048, 8 heads, 37,000 words, length 128: {} parameters, {} FLOPs a token forward\n\n",
                    countText(block.parameterCount(where, params)), countText(flops));
    if (!block.parameters.empty()) {
        out += "| parameter | default | values | |\n|---|---|---|---|\n";
        for (const auto& field : block.parameters) out += markdownRows(fieldRows(field, field.key));
        out += "\n";
    }
    for (const auto& exposure : block.exposures)
        out += fmt::format("- shows `{}`: {} [{}]\n", exposure.id, exposure.title, exposure.axes);
    return block.exposures.empty() ? out : out + "\n";
}

std::string presets() {
    std::string out = "## Presets\n\n| preset | what it is | source | parameters |\n|---|---|---|---|\n";
    for (const auto& name : presetNames()) {
        const Json document = presetDocument(name);
        const Json meta = document.value("meta", Json::object());
        const ResolvedVariant variant = VariantSpec::parse(document, builtinCatalogue()).resolve();
        std::string count = "as many as its data has words";
        if (hasVocabulary(variant)) count = countText(countCost(variant).parameters);
        out += fmt::format("| `{}` | {}: {} | {} | {} |\n", name, meta.value("title", ""), meta.value("summary", ""),
                           meta.value("reference", ""), count);
    }
    return out;
}

}  // namespace

std::string valuesOf(const FieldSchema& field) {
    std::string text;
    switch (field.type) {
    case FieldSchema::Type::Boolean: text = "`true`, `false`"; break;
    case FieldSchema::Type::Choice: text = fmt::format("`{}`", fmt::join(field.choices, "`, `")); break;
    case FieldSchema::Type::Integer:
    case FieldSchema::Type::Number:
        text = rangeOf(field);
        if (field.type == FieldSchema::Type::Integer) text += ", whole";
        break;
    case FieldSchema::Type::List: text = "list of: " + valuesOf(field.fields.front()); break;
    case FieldSchema::Type::Object:
    case FieldSchema::Type::Any: text = "object"; break;
    case FieldSchema::Type::Block: text = fmt::format("a block of slot `{}`", field.slot); break;
    case FieldSchema::Type::String: text = "text"; break;
    }
    if (!field.unit.empty()) text += " (" + field.unit + ")";
    if (!field.alsoAccepts.empty()) text += fmt::format(", `\"{}\"`", fmt::join(field.alsoAccepts, "\"`, `\""));
    return field.nullable ? text + ", `null`" : text;
}

std::vector<FieldRow> fieldRows(const FieldSchema& field, const std::string& path) {
    const bool hasMembers = field.type == FieldSchema::Type::Object || field.type == FieldSchema::Type::Block;
    std::vector<FieldRow> rows{
        {path, valuesOf(field), field.defaultValue.is_null() && !field.nullable ? "" : field.defaultValue.dump(), field.help}};
    if (!hasMembers) return rows;
    for (const auto& member : field.fields) {
        auto below = fieldRows(member, childPath(path, member.key));
        rows.insert(rows.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
    }
    return rows;
}

std::string markdownRows(const std::vector<FieldRow>& rows) {
    std::string out;
    for (const auto& row : rows) {
        const std::string given = row.defaultValue.empty() ? "" : "`" + row.defaultValue + "`";
        out += fmt::format("| `{}` | {} | {} | {} |\n", row.path, given, row.values, row.help);
    }
    return out;
}

std::string blockManual(const Catalogue& catalogue) {
    std::string out =
        "# Blocks and presets\n\nWritten by `heddle blocks manual` from the blocks' descriptors; do not edit by hand.\n\n"
        "Letters: B batch, S/Q/K sequence (query, key), D or d model width, H heads, E key width of a head, F or f "
        "feed-forward\n"
        "width, V vocabulary, C classes, L layers; σ is the logistic sigmoid, ⊙ the product component by component.\n\n";
    for (const auto& slot : catalogue.slots()) {
        const SlotPlace place = placeOf(slot);
        out += fmt::format("## Slot `{}`\n\n", slot);
        if (place.field) out += fmt::format("{} Written as `{}`.\n\n", place.field->help, place.where);
        const std::string standard = place.field ? place.field->defaultValue.value(kindKey(slot), "") : "";
        for (const auto* block : catalogue.ofSlot(slot)) out += blockText(*block, block->id == standard);
    }
    return out + presets();
}

std::vector<FieldRow> specRows() {
    std::vector<FieldRow> rows;
    const auto add = [&](const FieldSchema& field) {
        auto more = fieldRows(field, field.key);
        rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    for (const auto& member : runSchema().fields) {
        add(member);
        if (member.key == "schema") add(variantSchema());
    }
    return rows;
}

std::string specManual() {
    std::string out =
        "# The run spec\n\nWritten by `heddle spec --markdown` from the schema that checks every spec; do not edit by hand.\n\n"
        "A run spec is a JSON object with the members below; what is left out has its default. `--set PATH=VALUE` changes one\n"
        "value (`--set train.lr=1e-3`). A slot takes the name of a block (`\"residual\": \"grc\"`) or an object with its\n"
        "parameters (`{\"kind\": \"grc\", …}`); [blocks.md](blocks.md) describes every block.\n";
    std::string group;
    for (const auto& row : specRows()) {
        const std::string top = row.path.substr(0, row.path.find('.'));
        if (std::exchange(group, top) != top)
            out += fmt::format("\n## `{}`\n\n| key | default | values | |\n|---|---|---|---|\n", top);
        out += markdownRows({row});
    }
    return out;
}

}  // namespace heddle
