// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/slot_site.h"

#include "engine/base/contains.h"
#include "engine/base/split.h"
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_schema.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <charconv>

namespace heddle::ui {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::SlotSite)
};

QString memberWords(const std::vector<FieldSchema>& fields, const Json& values) {
    QStringList words;
    for (const auto& field : fields) {
        const auto value = values.find(field.key);
        if (value == values.end() || *value == field.defaultValue) continue;
        if (value->is_boolean()) {
            words << (value->get<bool>() ? text(field.key) : Words::tr("no %1").arg(text(field.key)));
        } else if (value->is_number()) {
            words << QStringLiteral("%1 %2").arg(text(field.key), QLocale().toString(value->get<double>(), 'g', 6));
        } else if (value->is_object()) {
            const QString inner = memberWords(field.fields, *value);
            if (inner.isEmpty() && !field.nullable) continue;  // always there, with its default members
            words << (inner.isEmpty() ? text(field.key) : QStringLiteral("%1 (%2)").arg(text(field.key), inner));
        } else if (value->is_array()) {
            words << text(field.key) + QLatin1Char(' ') + listWords(*value);
        } else {
            words << text(value->is_string() ? value->get<std::string>() : value->dump());
        }
    }
    return words.join(QStringLiteral(", "));
}

}  // namespace

std::string modulePath(const SlotSite& site, int layer) {
    if (site.isGlobal()) return site.slot;
    if (!site.hasLayers()) return site.stack + "." + site.slot;
    return site.stack + ".layers." + std::to_string(layer) + "." + site.sublayer + "." + site.slot;
}

QString displayPath(const SlotSite& site, const ResolvedVariant& variant) {
    if (!site.hasLayers()) return text(modulePath(site, 0));
    const int count = int(layersOf(variant, site.stack).size());
    QString layers = QString::number(site.first);
    if (site.first == 0 && site.last == count - 1 && count > 1)
        layers = QStringLiteral("*");
    else if (site.last > site.first)
        layers += QChar(0x2013) + QString::number(site.last);
    return QStringLiteral("%1.layers.%2.%3.%4").arg(text(site.stack), layers, text(site.sublayer), text(site.slot));
}

std::optional<SlotSite> siteOfPath(const std::string& path, const ResolvedVariant& variant) {
    const auto parts = splitAt(path, '.');
    if (contains(globalSlots(), parts.front())) return SlotSite{"", "", parts.front(), 0, 0};
    if (parts.front() == "defaults" && parts.size() > 1) {
        const auto sites = sitesOf(variant, parts[1]);
        return sites.empty() ? std::nullopt : std::optional(sites.front());
    }
    if (parts.front() != "encoder" && parts.front() != "decoder") return std::nullopt;
    const auto checked = [&](const SlotSite& found) { return choiceAt(variant, found) ? std::optional(found) : std::nullopt; };
    if (parts.size() > 1 && contains(stackSlots(), parts[1])) return checked({parts.front(), "", parts[1], 0, 0});
    const int count = int(layersOf(variant, parts.front()).size());
    SlotSite site{parts.front(), "", "", 0, count - 1};
    std::size_t at = 1;
    if (parts.size() > 2 && parts[1] == "layers") {
        const char* end = parts[2].data() + parts[2].size();
        const auto [stop, error] = std::from_chars(parts[2].data(), end, site.first);
        if (error != std::errc() || stop != end) return std::nullopt;
        site.last = site.first;
        at = 3;
    }
    if (parts.size() < at + 2 || !contains(sublayerNames(site.stack), parts[at])) return std::nullopt;
    site.sublayer = parts[at];
    site.slot = parts[at + 1];
    return checked(site);
}

SublayerIndex placeOfSublayer(const ResolvedVariant& variant, const SlotSite& site) {
    const auto& sublayers = layersOf(variant, site.stack).at(std::size_t(site.first)).sublayers;
    const auto found =
        std::find_if(sublayers.begin(), sublayers.end(), [&](const auto& one) { return one.name == site.sublayer; });
    return {int(found - sublayers.begin()), int(sublayers.size())};
}

const BlockChoice* choiceAt(const ResolvedVariant& variant, const SlotSite& site) {
    if (site.isGlobal()) {
        const auto found = variant.globals.find(site.slot);
        return found == variant.globals.end() ? nullptr : &found->second;
    }
    const auto& layers = layersOf(variant, site.stack);
    if (site.first < 0 || site.first >= int(layers.size())) return nullptr;
    if (!site.hasLayers()) {
        const auto found = variant.stackSlots.find(modulePath(site, 0));
        return found == variant.stackSlots.end() ? nullptr : &found->second;
    }
    for (const auto& sublayer : layers[std::size_t(site.first)].sublayers) {
        if (sublayer.name != site.sublayer) continue;
        const auto found = sublayer.slots.find(site.slot);
        return found == sublayer.slots.end() ? nullptr : &found->second;
    }
    return nullptr;
}

std::vector<int> carriedFrom(const BlockChoice& score) {
    const auto offsets = score.params.find("offsets");
    return offsets == score.params.end() ? std::vector<int>{} : offsets->get<std::vector<int>>();
}

bool holdsNothing(const BlockChoice& choice) { return choice.id == "none"; }

std::string standardAt(const SlotSite& site) {
    if (site.hasLayers()) return standardBlock({site.stack, site.sublayer}, site.slot);
    const FieldSchema& holder = site.isGlobal() ? variantSchema() : fieldOf(variantSchema(), site.stack);
    return fieldOf(holder, site.slot).defaultValue.at(kindKey(site.slot)).get<std::string>();
}

bool isStandard(const SlotSite& site, const BlockChoice& choice) {
    if (choice.id != standardAt(site)) return false;
    return choice.params == withDefaults(parameterSchema(builtinCatalogue().at(site.slot, choice.id)), Json::object());
}

bool isSecondary(const std::string& slot) {
    static const std::vector<std::string> secondary{"mask",    "score",    "selector", "normaliser", "direct",
                                                    "combine", "parallel", "share",    "h0"};
    return contains(secondary, slot);
}

std::vector<SlotSite> sitesOf(const ResolvedVariant& variant, const std::string& slot) {
    if (contains(globalSlots(), slot)) return {{"", "", slot, 0, 0}};
    std::vector<SlotSite> sites;
    for (const std::string stack : {"encoder", "decoder"}) {
        const auto& layers = layersOf(variant, stack);
        if (layers.empty()) continue;
        if (contains(stackSlots(), slot)) sites.push_back({stack, "", slot, 0, 0});
        for (const auto& sublayer : layers.front().sublayers)
            if (sublayer.slots.contains(slot)) sites.push_back({stack, sublayer.name, slot, 0, int(layers.size()) - 1});
    }
    return sites;
}

SlotFamily familyOf(const std::string& slot) {
    struct Known {
        SlotColour colour;
        const char* title;
        std::vector<std::string> slots;
    };
    static const std::vector<Known> known{
        {SlotColour::Attention,
         QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "attention"),
         {"mask", "scorer", "selector", "normaliser", "direct", "combine", "value"}},
        {SlotColour::Norm, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "norm, dropout"), {"norm", "dropout", "init"}},
        {SlotColour::Residual, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "residual"), {"residual"}},
        {SlotColour::Adjuster, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "adjuster"), {"adjuster"}},
        {SlotColour::Adjuster, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "parallel"), {"parallel"}},
        {SlotColour::Score, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "score carry"), {"score"}},
        {SlotColour::FeedForward, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "feed-forward"), {"ffn"}},
        {SlotColour::FeedForward, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "recurrence"), {"recurrence"}},
        {SlotColour::Embedding, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "embedding"), {"embed", "position"}},
        {SlotColour::Norm, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "stack"), {"share", "h0"}},
        {SlotColour::Head, QT_TRANSLATE_NOOP("heddle::ui::SlotSite", "head"), {"head"}},
    };
    for (const Known& family : known)
        if (contains(family.slots, slot)) return {family.colour, Words::tr(family.title)};
    return {SlotColour::Score, text(slot)};  // a slot that the catalogue has gained since
}

std::string slotOfModule(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

QString blockName(const BlockDescriptor& block) {
    QString initials;
    static const QRegularExpression border(QStringLiteral("[\\s\\-–]+"));
    for (const QString& word : text(block.title).split(border, Qt::SkipEmptyParts)) initials += word.front();
    const QString id = text(block.id);
    return id.size() > 1 && initials.compare(id, Qt::CaseInsensitive) == 0 ? id.toUpper() : id;
}

QString parameterWords(const BlockDescriptor& block, const Json& params) { return memberWords(block.parameters, params); }

QString listWords(const Json& list) {
    QStringList words;
    for (const auto& element : list) words << text(element.is_string() ? element.get<std::string>() : element.dump());
    return words.join(QStringLiteral(", "));
}

QString sublayerTitle(const std::string& sublayer) {
    if (sublayer == "self") return Words::tr("Self-attention");
    if (sublayer == "cross") return Words::tr("Cross-attention");
    if (sublayer == "ffn") return Words::tr("Feed-forward");
    if (sublayer == "star") return Words::tr("StarSaber attention");
    if (sublayer == "lstm") return Words::tr("Recurrence, both directions");
    return text(sublayer);
}

}  // namespace heddle::ui
