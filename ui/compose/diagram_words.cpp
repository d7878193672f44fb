// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compose/diagram_words.h"

#include "ui/compose/parts.h"
#include "ui/shell/number.h"

#include <QLocale>

#include <algorithm>

namespace heddle::ui {
namespace {

QString text(const std::string& words) { return QString::fromStdString(words); }

constexpr double kShown = 1e-3;  // smaller numbers guard a division; nobody compares them

}  // namespace

DiagramWords::DiagramWords(const VariantDraft& draft) : draft_(draft), facts_(*draft.facts()) {
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
    QString words = blockName(block);
    if (site.slot == "scorer") words += QStringLiteral(" %1 × %2").arg(dims.heads).arg(dims.keyDim);
    if (site.slot == "value" && dims.valueDim != dims.keyDim)
        words += QStringLiteral(" %1 × %2").arg(dims.heads).arg(dims.valueDim);
    if (site.slot == "ffn") words += QStringLiteral(" f %1").arg(ui::count(dims.f));
    if (site.slot == "ffn" && choice->params.contains("act"))
        words += QStringLiteral(", ") + text(choice->params.value("act", ""));
    if (const QString more = parameterWords(block, choice->params); !more.isEmpty()) words += QStringLiteral(", ") + more;
    return words;
}

void DiagramWords::describe(DiagramBox& box, const BlockChoice& choice) const {
    const SlotSite& site = *box.site;
    const auto& block = builtinCatalogue().at(site.slot, choice.id);
    const QString parameters = parameterWords(block, choice.params);
    if (box.kind == DiagramBox::Kind::Ghost) {
        box.title = tr("no %1").arg(text(site.slot));
        return;
    }
    box.figure = ui::count(count(modulePath(site, site.first)));
    if (box.kind == DiagramBox::Kind::Block) {
        box.title = blockName(block);
        box.detail = formulaLine(text(block.formula));
        if (!parameters.isEmpty()) box.detail.prepend(parameters + QStringLiteral(";  "));
        return;
    }
    box.title = text(builtinCatalogue().ofSlot(site.slot).size() == 1 ? site.slot : choice.id);
    // A slot of probabilities and places is told by them, defaults too: they are what it does.
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

QString DiagramWords::parameters(const std::vector<SlotSite>& sites) const {
    std::int64_t sum = 0;
    for (const auto& site : sites) sum += count(modulePath(site, site.first));
    return ui::count(sum);
}

QString DiagramWords::moduleFigure(const std::string& path) const { return ui::count(count(path)); }

QString DiagramWords::tokens(const std::string& stack) const {
    const bool source = stack == "encoder";
    const Dims& dims = facts_.variant.dims;
    const QString types = ui::count(source ? dims.vocabSrc : dims.vocabTgt);
    const bool assumed = source ? facts_.sourceAssumed : facts_.targetAssumed;
    const QString words = assumed ? tr("%1 types assumed").arg(types) : tr("%1 types").arg(types);
    return source ? tr("source tokens [B, S], %1").arg(words) : tr("target tokens, shifted [B, S], %1").arg(words);
}

QString DiagramWords::memory() const { return tr("memory [B, S, %1]").arg(facts_.variant.dims.d); }

QString DiagramWords::logits() const { return tr("logits [B, S, %1]").arg(ui::count(facts_.variant.dims.vocabTgt)); }

QString DiagramWords::frameTitle(const SlotSite& layers) const {
    const int all = int(layersOf(facts_.variant, layers.stack).size());
    const QString stack = text(layers.stack);
    if (layers.first == 0 && layers.last == all - 1 && all > 1) return tr("%1.layers × %2").arg(stack).arg(all);
    if (layers.first == layers.last) return QStringLiteral("%1.layers.%2").arg(stack).arg(layers.first);
    return tr("%1.layers.%2–%3 × %4").arg(stack).arg(layers.first).arg(layers.last).arg(layers.last - layers.first + 1);
}

QString DiagramWords::frameFigure(const SlotSite& layers) const {
    std::int64_t sum = 0;
    for (const auto& sublayer : layersOf(facts_.variant, layers.stack)[std::size_t(layers.first)].sublayers)
        for (const auto& [slot, choice] : sublayer.slots) sum += count(sublayer.path + "." + slot);
    return layers.last > layers.first ? tr("%1 each").arg(ui::count(sum)) : ui::count(sum);
}

std::int64_t DiagramWords::embeddingShare(const std::string& stack) const {
    const BlockChoice& choice = facts_.variant.globals.at("embed");
    BlockContext where{facts_.variant.dims, "", "", 0, 0};
    const auto& block = builtinCatalogue().at("embed", choice.id);
    const std::int64_t all = block.parameterCount(where, choice.params);
    where.dims.vocabSrc = 0;
    const std::int64_t target = block.parameterCount(where, choice.params);
    return stack == "encoder" ? all - target : target;
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
        const SlotFamily family = familyOf(slot);
        const bool known =
            std::any_of(families.begin(), families.end(), [&](const auto& f) { return f.title == family.title; });
        if (!known) families.push_back(family);
    }
    return families;
}

}  // namespace heddle::ui
