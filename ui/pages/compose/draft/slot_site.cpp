// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/slot_site.h"

#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct SiteWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::SlotSite)
};

QString memberWords(const std::vector<FieldSchema>& fields, const Json& values) {
    QStringList words;
    for (const auto& field : fields) {
        const auto value = values.find(field.key);
        if (value == values.end() || *value == field.defaultValue) continue;
        if (value->is_boolean()) {
            words << (value->get<bool>() ? text(field.key) : SiteWords::tr("no %1").arg(text(field.key)));
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

bool isSecondary(const std::string& slot) {
    static const std::vector<std::string> secondary{"mask",        "relative", "score",   "cap",      "selector", "normaliser",
                                                    "value_carry", "direct",   "combine", "parallel", "share",    "h0"};
    return contains(secondary, slot);
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
         {"mask", "relative", "scorer", "cap", "selector", "normaliser", "direct", "combine", "value_carry", "value"}},
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
        if (contains(family.slots, slot)) return {family.colour, SiteWords::tr(family.title)};
    return {SlotColour::Score, text(slot)};  // a slot that the catalogue has gained since
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
    if (sublayer == "self") return SiteWords::tr("Self-attention");
    if (sublayer == "cross") return SiteWords::tr("Cross-attention");
    if (sublayer == "ffn") return SiteWords::tr("Feed-forward");
    if (sublayer == "ffn2") return SiteWords::tr("Second feed-forward");
    if (sublayer == "star") return SiteWords::tr("StarSaber attention");
    if (sublayer == "lstm") return SiteWords::tr("Recurrence, both directions");
    return text(sublayer);
}

}  // namespace heddle::ui
