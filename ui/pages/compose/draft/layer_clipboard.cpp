// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/layer_clipboard.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "ui/pages/compose/draft/slot_site.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace heddle::ui {
namespace {

struct ClipboardWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::ComposePage)
};

constexpr const char* kLayerSchema = "heddle.layer/1";
constexpr std::size_t kLongest = 1 << 20;
constexpr int kMaxLayers = 4096;

[[noreturn]] void refuse(const QString& what, const QString& where, const QString& next) {
    throwInvalid(what.toStdString(), where.toStdString(), next.toStdString());
}

QString choicesOf(const std::vector<std::string>& words) {
    QStringList list;
    for (const auto& word : words) list << text(word);
    return ClipboardWords::tr("use one of: %1").arg(list.join(QStringLiteral(", ")));
}

/// A slot with every parameter written out, so that no default or preset below it takes effect.
Json wholeSlot(const std::string& slot, const Json& brief) {
    const std::string kind = kindKey(slot);
    Json params = brief;
    params.erase(kind);
    Json whole = withDefaults(parameterSchema(builtinCatalogue().at(slot, brief.at(kind).get<std::string>())), params);
    whole[kind] = brief.at(kind);
    return whole;
}

bool isChosen(const BlockChoice* choice, const std::string& slot, const Json& whole) {
    Json params = whole;
    params.erase(kindKey(slot));
    return choice && choice->id == whole.at(kindKey(slot)) && choice->params == params;
}

void checkSlot(const Json& value, const std::string& slot, const QString& where) {
    const std::string kind = kindKey(slot);
    if (!value.is_object() || !value.value(kind, Json()).is_string())
        refuse(ClipboardWords::tr("the block of a slot is missing"), where,
               ClipboardWords::tr("write {\"%1\":\"…\"}, or copy a layer in Compose again").arg(text(kind)));
    const std::string id = value.at(kind);
    const BlockDescriptor* block = builtinCatalogue().find(slot, id);
    if (!block)
        refuse(ClipboardWords::tr("there is no block \"%1\" for the slot %2").arg(text(id), text(slot)), where,
               choicesOf(builtinCatalogue().idsOf(slot)));
    Json params = value;
    params.erase(kind);
    std::vector<heddle::Problem> problems;
    validate(parameterSchema(*block), params, where.toStdString(), problems);
    if (!problems.empty()) throwInvalid(problems.front().what, problems.front().path, problems.front().next);
}

/// The slots in which a copied layer and the layers that it is pasted onto differ.
std::vector<SlotEdit> edits(const ResolvedVariant& variant, const Json& layer, const SlotSite& at) {
    std::vector<SlotEdit> edits;
    for (const auto& sublayer : layersOf(variant, at.stack).at(std::size_t(at.first)).sublayers) {
        const auto copied = layer.find(sublayer.name);
        if (copied == layer.end()) continue;
        for (const auto& [slot, choice] : sublayer.slots) {
            const SlotSite site = at.slotOf(sublayer.name, slot);
            const Json standard{{kindKey(slot), standardAt(site)}};
            const Json brief = copied->value(slot, standard);
            for (int i = at.first; i <= at.last; ++i)
                if (!isChosen(choiceAt(variant, site.inLayer(i)), slot, wholeSlot(slot, brief))) {
                    edits.push_back({site, {}, brief});
                    break;
                }
        }
    }
    return edits;
}

/// Groups consecutive layers.
std::vector<SlotSite> ranges(const LayerChoice& choice) {
    std::vector<SlotSite> ranges;
    for (const int layer : choice.layers)
        if (!ranges.empty() && ranges.back().last + 1 == layer)
            ranges.back().last = layer;
        else
            ranges.push_back({choice.stack, "", "", layer, layer});
    return ranges;
}

}  // namespace

Json layerDocument(const ResolvedVariant& variant, const std::string& stack, int layer) {
    Json copied = Json::object();
    for (const auto& sublayer : layersOf(variant, stack).at(std::size_t(layer)).sublayers) {
        Json& inner = copied[sublayer.name] = Json::object();
        for (const auto& [slot, choice] : sublayer.slots) {
            if (isStandard({stack, sublayer.name, slot, layer, layer}, choice)) continue;
            inner[slot] = withoutDefaults(parameterSchema(builtinCatalogue().at(slot, choice.id)), choice.params);
            inner[slot][kindKey(slot)] = choice.id;
        }
    }
    return {{"schema", kLayerSchema}, {"stack", stack}, {"layer", copied}};
}

Json readLayerDocument(const std::string& words) {
    const QString where = ClipboardWords::tr("clipboard"), again = ClipboardWords::tr("copy a layer in Compose first (Ctrl+C)");
    if (words.empty()) refuse(ClipboardWords::tr("there is no layer to paste"), where, again);
    if (words.size() > kLongest) refuse(ClipboardWords::tr("the text is too long for a layer"), where, again);
    Json document = Json::accept(words) ? parseJson(words, where.toStdString()) : Json();
    if (!document.is_object() || document.value("schema", Json()) != kLayerSchema)
        refuse(ClipboardWords::tr("the clipboard holds no layer of a variant"), where, again);
    const Json stack = document.value("stack", Json()), layer = document.value("layer", Json());
    if (stack != "encoder" && stack != "decoder")
        refuse(ClipboardWords::tr("the stack of the layer is unknown"), where + QStringLiteral(", stack"),
               choicesOf({"encoder", "decoder"}));
    if (!layer.is_object() || layer.empty())
        refuse(ClipboardWords::tr("the layer has no sublayers"), where + QStringLiteral(", layer"), again);
    for (const auto& [name, inner] : layer.items()) {
        const QString at = where + QStringLiteral(", layer.") + text(name);
        const auto names = sublayerNames(stack);
        if (!contains(names, name))
            refuse(ClipboardWords::tr("there is no sublayer \"%1\"").arg(text(name)), at, choicesOf(names));
        if (!inner.is_object()) refuse(ClipboardWords::tr("the slots of a sublayer are missing"), at, again);
        for (const auto& [slot, value] : inner.items()) {
            const auto all = sublayerSlots(name);
            if (!contains(all, slot))
                refuse(ClipboardWords::tr("the sublayer %1 has no slot \"%2\"").arg(text(name), text(slot)), at,
                       choicesOf(all));
            checkSlot(value, slot, at + QLatin1Char('.') + text(slot));
        }
    }
    return document;
}

QStringList unchangedSublayers(const ResolvedVariant& variant, const Json& document, const std::string& stack) {
    QStringList names;
    const Json& layer = document.at("layer");
    for (const auto& sublayer : layersOf(variant, stack).at(0).sublayers)
        if (!layer.contains(sublayer.name)) names << text(sublayer.name);
    return names;
}

Json withLayer(const Json& document, const DraftFacts& facts, const Json& copied, const LayerChoice& to) {
    const auto& stack = layersOf(facts.variant, to.stack);
    const Json& layer = copied.at("layer");
    for (const auto& [name, inner] : layer.items()) {
        const auto has = [&wanted = name](const ResolvedSublayer& one) { return one.name == wanted; };
        if (stack.empty() || std::none_of(stack.front().sublayers.begin(), stack.front().sublayers.end(), has))
            refuse(ClipboardWords::tr("the layers of the %1 have no sublayer \"%2\", but the copied layer has it")
                       .arg(text(to.stack), text(name)),
                   text(to.stack) + QStringLiteral(".sublayers"),
                   ClipboardWords::tr("paste it onto layers of the %1, or add that sublayer to the stack first")
                       .arg(text(copied.at("stack").get<std::string>())));
    }
    Json next = document;
    for (const auto& range : ranges(to))
        for (const auto& edit : edits(facts.variant, layer, range)) writeSlot(next, edit, int(stack.size()));
    // A short value keeps parameters of a preset or of the defaults that are below it; then the whole slot is written.
    std::vector<heddle::Problem> problems;
    const VariantSpec spec = VariantSpec::parse(next.at("variant"), builtinCatalogue(), problems);
    if (!problems.empty()) return next;
    const ResolvedVariant now = spec.resolve();
    for (const int at : to.layers)
        for (const auto& edit : edits(now, layer, {to.stack, "", "", at, at}))
            applySet(next, modulePath(edit.site, at) + "=" + wholeSlot(edit.site.slot, edit.value).dump());
    return next;
}

std::vector<int> readLayers(const QString& words, int count) {
    static const QRegularExpression part(QStringLiteral("^\\s*(\\d{1,4})\\s*(?:[-–]\\s*(\\d{1,4})\\s*)?$"));
    std::set<int> layers;
    for (const QString& each : words.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto match = part.match(each);
        const int first = match.captured(1).toInt();
        const int last = match.captured(2).isEmpty() ? first : match.captured(2).toInt();
        if (!match.hasMatch() || last < first || last >= std::min(count, kMaxLayers))
            refuse(ClipboardWords::tr("\"%1\" names no layers of this stack").arg(each.trimmed()), ClipboardWords::tr("layers"),
                   ClipboardWords::tr("write numbers of 0 to %1, such as 0–1, 3").arg(count - 1));
        for (int layer = first; layer <= last; ++layer) layers.insert(layer);
    }
    if (layers.empty())
        refuse(ClipboardWords::tr("no layer is named"), ClipboardWords::tr("layers"),
               ClipboardWords::tr("write numbers of 0 to %1, such as 0–1, 3").arg(count - 1));
    return {layers.begin(), layers.end()};
}

QString layersText(const std::vector<int>& layers) {
    QStringList parts;
    for (const auto& range : ranges({"", layers}))
        parts << (range.first == range.last ? QString::number(range.first)
                                            : QStringLiteral("%1–%2").arg(range.first).arg(range.last));
    return parts.join(QStringLiteral(", "));
}

}  // namespace heddle::ui
