// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_words.h"

#include "engine/base/json.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/text/number.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr double kShown = 1e-3;  // smaller numbers only avoid a division by zero

/// "encoder layers 0–1 self": a path for screen readers.
QString placeWords(const SlotSite& site) {
    QStringList words{text(site.stack)};
    if (site.hasLayers())
        words << (site.first == site.last ? DiagramWords::tr("layer %1").arg(site.first)
                                          : DiagramWords::tr("layers %1–%2").arg(site.first).arg(site.last));
    words << text(site.sublayer);
    return words.join(QLatin1Char(' ')).simplified();
}

/// "add here: score, selector"; "2 more slots: mask: padding, combine: identity".
QString offerWords(const DiagramBox& box) {
    QStringList names;
    for (const auto& [site, words] : box.others) names << words;
    const QString list = names.join(QStringLiteral(", "));
    if (box.offer == DiagramBox::Offer::Add) return DiagramWords::tr("add here: %1").arg(list);
    return DiagramWords::tr("%Ln more slot(s), with the standard block: %1", nullptr, int(box.others.size())).arg(list);
}

/// "1,280", or "1,280–1,290" where layers with the same blocks differ, as those that weigh all earlier ones do.
QString countRange(std::int64_t first, std::int64_t last) {
    return first == last ? ui::count(first) : QStringLiteral("%1–%2").arg(ui::count(first), ui::count(last));
}

}  // namespace

DiagramWords::DiagramWords(const VariantDraft& draft, const DraftFacts& facts) : draft_(draft), facts_(facts) {}

DiagramWords::DiagramWords(const VariantDraft& draft) : DiagramWords(draft, *draft.facts()) {
    int number = 0;
    for (const auto& problem : draft.problems()) {
        ++number;
        const auto site = siteOfPath(problem.path, facts_.variant);
        if (!site) continue;
        for (int layer = site->first; layer <= site->last; ++layer) problems_.emplace(modulePath(*site, layer), number);
    }
}

bool DiagramWords::differs(const SlotSite& site) const {
    for (int layer = site.first; layer <= site.last; ++layer)
        if (draft_.differs(modulePath(site, layer))) return true;
    return false;
}

bool DiagramWords::isOtherInBaseline(const SlotSite& site) const {
    if (!draft_.baselineFacts()) return false;
    const Json& baseline = draft_.baselineFacts()->tree;
    for (int layer = site.first; layer <= site.last; ++layer)
        if (const auto path = modulePath(site, layer); draft_.differs(path) && baseline.contains(path)) return true;
    return false;
}

int DiagramWords::problemAt(const SlotSite& site) const {
    for (int layer = site.first; layer <= site.last; ++layer)
        if (const auto found = problems_.find(modulePath(site, layer)); found != problems_.end()) return found->second;
    return 0;
}

QString DiagramWords::chip(const SlotSite& site) const {
    const BlockChoice* choice = choiceAt(facts_.variant, site);
    if (!choice) return {};
    const auto& block = builtinCatalogue().at(site.slot, choice->id);
    const Dims& dims = facts_.variant.dims;
    if (!site.isGlobal() && !site.hasLayers()) return stackWords(site, *choice);
    if (const auto offsets = carriedFrom(*choice); site.slot == "score" && !offsets.empty()) {
        QStringList sources;
        for (const int offset : offsets) sources << QStringLiteral("n−%1").arg(offset);
        Json others = choice->params;
        others.erase("offsets");
        if (const QString more = parameterWords(block, others); !more.isEmpty()) sources << more;
        return tr("scores of %1").arg(sources.join(QStringLiteral(", ")));
    }
    QString words = isSecondary(site.slot) ? text(site.slot) + QLatin1Char(' ') + blockName(block) : blockName(block);
    if (site.slot == "scorer") words += QStringLiteral(" %1 × %2").arg(dims.heads).arg(dims.keyDim);
    if (site.slot == "scorer" && dims.kvHeads > 0) words += QStringLiteral(", kv_heads %1").arg(dims.kvHeads);
    if (site.slot == "value" && dims.valueDim != dims.keyDim)
        words += QStringLiteral(" %1 × %2").arg(dims.heads).arg(dims.valueDim);
    if (site.slot == "ffn") words += QStringLiteral(" f %1").arg(ui::count(dims.f));
    Json others = choice->params;
    if (site.slot == "ffn" && others.contains("act")) {  // written even if it is the standard one
        words += QStringLiteral(", ") + text(others.value("act", ""));
        others.erase("act");
    }
    if (const QString more = parameterWords(block, others); !more.isEmpty()) words += QStringLiteral(", ") + more;
    return words;
}

QString DiagramWords::stackWords(const SlotSite& site, const BlockChoice& choice) const {
    const auto& block = builtinCatalogue().at(site.slot, choice.id);
    QString words = text(choice.id).replace(QLatin1Char('_'), QLatin1Char(' '));
    if (site.slot == "h0") words.prepend(QStringLiteral("h⁰ "));
    if (block.sharesWeights && !block.iterates) words += QStringLiteral(" × %1").arg(passesOf(facts_.variant, site.stack));
    if (const QString more = parameterWords(block, choice.params); !more.isEmpty()) words += QStringLiteral(", ") + more;
    return words;
}

QString DiagramWords::more(std::size_t slots) { return tr("%Ln more", nullptr, int(slots)); }

QString DiagramWords::slotWords(const SlotSite& site) const {
    const BlockChoice* choice = choiceAt(facts_.variant, site);
    if (!choice) return text(site.slot);
    return QStringLiteral("%1: %2").arg(text(site.slot), blockName(builtinCatalogue().at(site.slot, choice->id)));
}

void DiagramWords::describe(DiagramBox& box, const BlockChoice& choice) const {
    const SlotSite& site = *box.site;
    const auto& block = builtinCatalogue().at(site.slot, choice.id);
    const QString parameters = parameterWords(block, choice.params);
    if (box.kind == DiagramBox::Kind::Empty) {
        box.title = tr("no %1").arg(text(site.slot));
        return;
    }
    box.figure = countRange(count(modulePath(site, site.first)), count(modulePath(site, site.last)));
    if (box.kind == DiagramBox::Kind::Block) {
        box.title = blockName(block);
        box.detail = formulaLine(text(block.formulaWith(choice.params)));
        if (!parameters.isEmpty()) box.detail.prepend(parameters + QStringLiteral(";  "));
        return;
    }
    box.title = text(builtinCatalogue().ofSlot(site.slot).size() == 1 ? site.slot : choice.id);
    // Probabilities and places are written even if they are defaults, since they describe the slot.
    QStringList all;
    for (const auto& field : block.parameters) {
        const Json value = choice.params.value(field.key, Json());
        if (value.is_number() && value.get<double>() >= kShown) all << QLocale().toString(value.get<double>(), 'g', 4);
        if (field.key == "place") all << text(value.get<std::string>());
    }
    if (!all.isEmpty()) box.title += QLatin1Char(' ') + all.join(QStringLiteral(", "));
    if (count(modulePath(site, site.first)) == 0) box.figure.clear();
}

std::int64_t DiagramWords::count(const std::string& path) const {
    const auto found = facts_.modules.find(path);
    return found == facts_.modules.end() ? 0 : found->second.parameters;
}

std::int64_t DiagramWords::count(const ResolvedSublayer& sublayer) const {
    std::int64_t sum = 0;
    for (const auto& [slot, choice] : sublayer.slots) sum += count(sublayer.path + "." + slot);
    return sum;
}

QString DiagramWords::parameters(const std::vector<SlotSite>& sites) const {
    std::int64_t sum = 0;
    for (const auto& site : sites) sum += count(modulePath(site, site.first));
    return ui::count(sum);
}

QString DiagramWords::moduleFigure(const std::string& path) const { return ui::count(count(path)); }

QString DiagramWords::tokens(const std::string& stack) const {
    const BlockChoice& embed = facts_.variant.globals.at("embed");
    const auto& block = builtinCatalogue().at("embed", embed.id);
    const bool source = stack == "encoder", alone = stacksOf(facts_.variant.topology).size() == 1;
    if (!block.usesVocabulary) {
        // No vocabulary is counted. The catalogue has the shape of the input: "p [B,S,P], …" or token numbers.
        const QString shape = text(block.shapes).section(QLatin1Char(';'), 0, 0);
        return shape.startsWith(QLatin1String("ids")) ? tr("tokens [B, S]") : tr("%1: %2").arg(text(embed.id), shape);
    }
    const Dims& dims = facts_.variant.dims;
    const QString types = ui::count(source ? dims.vocabSrc : dims.vocabTgt);
    const bool assumed = source ? facts_.sourceAssumed : facts_.targetAssumed;
    const QString words = assumed ? tr("%1 types assumed").arg(types) : tr("%1 types").arg(types);
    if (alone) return tr("tokens [B, S], %1").arg(words);
    return source ? tr("source tokens [B, S], %1").arg(words) : tr("target tokens, shifted [B, S], %1").arg(words);
}

QString DiagramWords::memory() const { return tr("memory [B, S, %1]").arg(facts_.variant.dims.d); }

QString DiagramWords::output() const {
    const BlockChoice& head = facts_.variant.globals.at("head");
    const auto& block = builtinCatalogue().at("head", head.id);
    const Dims& dims = facts_.variant.dims;
    // The catalogue has the shape of z in letters: "h [B,S,W]; W [V,W]; z [B,S,V]".
    static const QRegularExpression shape(QStringLiteral("(?:^|; )z \\[([^\\]]*)\\]"));
    QStringList axes = shape.match(text(block.shapes)).captured(1).split(QLatin1Char(','), Qt::SkipEmptyParts);
    if (axes.isEmpty()) return text(head.id);
    if (axes.last() == QLatin1String("V")) {
        axes.last() = ui::count(dims.vocabTgt);
        return tr("logits [%1]").arg(axes.join(QStringLiteral(", ")));
    }
    BlockContext more = facts_.places.at("head");
    ++more.dims.classes;
    const bool isByClasses = block.parameterCount(more, head.params) != count("head");
    if (axes.last() == QLatin1String("C") && isByClasses) axes.last() = ui::count(dims.classes);
    return tr("%1 [%2]").arg(text(head.id), axes.join(QStringLiteral(", ")));
}

QString DiagramWords::frameTitle(const SlotSite& layers) const {
    const int all = int(layersOf(facts_.variant, layers.stack).size());
    const QString stack = text(layers.stack);
    if (layers.first == 0 && layers.last == all - 1 && all > 1) return tr("%1.layers × %2").arg(stack).arg(all);
    const BlockChoice* share = choiceAt(facts_.variant, {layers.stack, "", "share", 0, 0});
    if (share && share->id != standardAt({layers.stack, "", "share", 0, 0}))
        return QStringLiteral("%1.layers.0, %2").arg(stack, stackWords({layers.stack, "", "share", 0, 0}, *share));
    if (layers.first == layers.last) return QStringLiteral("%1.layers.%2").arg(stack).arg(layers.first);
    return tr("%1.layers.%2–%3 × %4").arg(stack).arg(layers.first).arg(layers.last).arg(layers.last - layers.first + 1);
}

QString DiagramWords::frameFigure(const SlotSite& layers) const {
    const auto ofLayer = [&](int layer) {
        std::int64_t sum = 0;
        for (const auto& sublayer : layersOf(facts_.variant, layers.stack)[std::size_t(layer)].sublayers)
            sum += count(sublayer);
        return sum;
    };
    const QString words = countRange(ofLayer(layers.first), ofLayer(layers.last));
    return layers.last > layers.first ? tr("%1 each").arg(words) : words;
}

std::int64_t DiagramWords::embeddingShare(const std::string& stack) const {
    if (stacksOf(facts_.variant.topology).size() == 1) return count("embed") + count("position");
    const BlockChoice& choice = facts_.variant.globals.at("embed");
    BlockContext where = facts_.places.at("embed");
    const std::int64_t all = count("embed");
    where.dims.vocabSrc = 0;
    const std::int64_t target = builtinCatalogue().at("embed", choice.id).parameterCount(where, choice.params);
    return stack == "encoder" ? all - target : target;
}

QString DiagramWords::stream(const SlotSite& residual) const {
    const BlockChoice* choice = choiceAt(facts_.variant, residual);
    if (!choice) return {};
    const auto& block = builtinCatalogue().at(residual.slot, choice->id);
    if (block.streams) return QStringLiteral("%1h").arg(block.streams(choice->params));
    switch (block.reads) {
    case DepthReading::Sums: return QStringLiteral("X");
    case DepthReading::Outputs: return QStringLiteral("v");
    case DepthReading::Input:
    case DepthReading::Entries:
    case DepthReading::None: break;
    }
    return QStringLiteral("r");
}

QString DiagramWords::sublayerFigure(const ResolvedSublayer& sublayer) const { return ui::count(count(sublayer)); }

QString DiagramWords::sizesBeside(const DraftFacts& other) const {
    QStringList words;
    const Json now = dimsJson(facts_.variant.dims), before = dimsJson(other.variant.dims);
    for (const auto& [key, value] : now.items())
        if (const Json old = before.value(key, Json()); old != value)
            words << QStringLiteral("%1 %2 → %3").arg(text(key), text(old.dump()), text(value.dump()));
    return words.join(QStringLiteral(", "));
}

QStringList DiagramWords::differing() const {
    if (draft_.baselineName().isEmpty() || !draft_.baselineFacts()) return {};
    int slots = 0;
    for (const auto& [path, module] : facts_.modules) slots += draft_.differs(path) ? 1 : 0;
    if (draft_.differs("init")) ++slots;
    return {tr("differs from the pinned baseline in %n slot(s)", nullptr, slots), draft_.baselineName()};
}

std::vector<SlotFamily> DiagramWords::families() const {
    std::vector<SlotFamily> families;
    for (const auto& slot : builtinCatalogue().slots()) {
        if (sitesOf(facts_.variant, slot).empty()) continue;
        const SlotFamily family = familyOf(slot);
        const bool known =
            std::any_of(families.begin(), families.end(), [&](const auto& f) { return f.title == family.title; });
        if (!known) families.push_back(family);
    }
    return families;
}

QString accessibleText(const DiagramFrame& frame, const QString& over) {
    QString words = frame.figure.isEmpty() ? frame.title : DiagramWords::tr("%1, %2 parameters").arg(frame.title, frame.figure);
    if (!frame.added.isEmpty())
        words += QStringLiteral(", ") +
                 DiagramWords::tr("new compared with %1: %2").arg(over, frame.added.join(QStringLiteral(", ")));
    if (!frame.moved.isEmpty())
        words += QStringLiteral(", ") + DiagramWords::tr("moved, in %1: %2").arg(over, frame.moved.join(QStringLiteral(", ")));
    return frame.change == DiagramChange::Missing ? DiagramWords::tr("%1, only in %2").arg(words, over) : words;
}

QString accessibleText(const DiagramBox& box, const QString& over) {
    const QString place = placeWords(*box.site);
    if (box.isOffer()) return QStringLiteral("%1, %2").arg(place, offerWords(box));
    QStringList words{box.isAbsent ? place : (place + QLatin1Char(' ') + text(box.site->slot)).trimmed(), box.title};
    if (!box.detail.isEmpty()) words << box.detail;
    if (!box.figure.isEmpty()) words << DiagramWords::tr("%1 parameters").arg(box.figure);
    if (box.change == DiagramChange::New) words << DiagramWords::tr("new compared with %1").arg(over);
    if (box.change == DiagramChange::Missing) words << DiagramWords::tr("only in %1").arg(over);
    if (box.change == DiagramChange::Moved) words << DiagramWords::movedMark();
    if (box.change == DiagramChange::Changed) words << DiagramWords::tr("in %1: %2").arg(over, box.before);
    if (box.differs && box.change == DiagramChange::None && over.isEmpty())
        words << DiagramWords::tr("differs from the baseline");
    if (box.problem > 0) words << DiagramWords::tr("problem %1").arg(box.problem);
    return words.join(QStringLiteral(", "));
}

}  // namespace heddle::ui
