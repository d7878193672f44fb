// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/token_bars_panel.h"

#include "ui/data/exposures.h"
#include "ui/data/studio.h"
#include "ui/text/units.h"
#include "ui/widgets/small_parts.h"

#include <QSplitter>

#include <algorithm>
#include <optional>

namespace heddle::ui {

TokenBarsPanel::TokenBarsPanel(const QString& title, InspectedPair& pair, QWidget* parent, PlotView* beside,
                               const QString& besideTitle)
    : Panel(title, parent), pair_(pair), plot_(new BarPlot(this)) {
    plot_->setAccessibleName(title);
    if (beside) {
        auto* both = new QSplitter(Qt::Horizontal, this);
        both->addWidget(scrolled(plot_));
        both->addWidget(captioned(besideTitle, beside, both));
        both->setChildrenCollapsible(false);
        setBody(both, {plot_, beside});
    } else {
        setScrolledBody(plot_);
    }
    setPlaceholder(tr("Nothing measured yet"), {});
    connect(&pair_, &InspectedPair::changed, this, [this] { show(); });
    connect(&pair_.studio().colours(), &VariantColours::changed, this, [this] { show(); });
}

void TokenBarsPanel::setBars(const QList<Bar>& bars, const QString& title, int decimals) {
    BarData made;
    made.bars = bars;
    made.order = pair_.studio().colours().orderOf(pair_.a().detail()->record);
    made.decimals = decimals;
    made.title = title;
    made.runName = tr("A: %1").arg(InspectedPair::modelLabel(pair_.a()));
    if (!bars.isEmpty() && bars.front().reference) made.referenceName = tr("B: %1").arg(InspectedPair::modelLabel(pair_.b()));
    plot_->setData(std::move(made));
    plot_->setMinimumHeight(plot_->sizeHint().height());
    setPlaceholder({}, {});
}

void LabelLossPanel::show() {
    setNote({});
    const auto &a = pair_.a().observed(), &b = pair_.b().observed();
    if (!a) return setPlaceholder(title(), pair_.reason());
    const auto countedIn = [](const InspectedRun& run) { return run.detail() ? run.detail()->counted("loss") : std::nullopt; };
    const auto counted = countedIn(pair_.a());
    if (a->losses.empty())
        return setPlaceholder(tr("No loss by label"),
                              pair_.sentence().text.isEmpty()
                                  ? tr("The loss of this task (%1) is not a sum over labels.").arg(lossWords(counted))
                                  : tr("A free text has no labels."));
    const bool isSame = b && lossWords(countedIn(pair_.b())) == lossWords(counted) &&
                        std::equal(a->losses.begin(), a->losses.end(), b->losses.begin(), b->losses.end(),
                                   [](const LabelLoss& x, const LabelLoss& y) { return x.label == y.label; });
    QList<Bar> bars;
    double sumA = 0, sumB = 0;
    for (std::size_t i = 0; i < a->losses.size(); ++i) {
        bars.append({QString::fromStdString(a->losses[i].label), a->losses[i].loss, std::nullopt});
        sumA += a->losses[i].loss;
        if (!isSame) continue;
        bars.back().reference = b->losses[i].loss;
        sumB += b->losses[i].loss;
    }
    setBars(bars, lossWords(counted));
    setNote(isSame ? tr("sum A %1, B %2").arg(lossSum(sumA, counted), lossSum(sumB, counted))
                   : tr("sum %1").arg(lossSum(sumA, counted)));
}

MeanGatePanel::MeanGatePanel(InspectedPair& pair, QWidget* parent) : TokenBarsPanel(tr("Mean gate"), pair, parent) {
    connect(&pair_, &InspectedPair::headChanged, this, [this] {
        if (pair_.chosenHead() != head_) show();  // not when the pointer moves over another head
    });
}

const PositionMeans* MeanGatePanel::gateOf(const InspectedRun& run) const {
    if (run.observed())
        for (const PositionMeans& means : run.observed()->means)
            if (longSite(means.path) == pair_.chosenHead().sublayer) return &means;
    return nullptr;
}

void MeanGatePanel::show() {
    head_ = pair_.chosenHead();
    setNote({});
    if (!pair_.a().observed()) return setPlaceholder(title(), pair_.reason());
    const PositionMeans *a = gateOf(pair_.a()), *b = gateOf(pair_.b());
    if (!a) return setPlaceholder(tr("No gate here"), tr("%1 has no gate over positions.").arg(pair_.chosenHead().sublayer));
    const bool isSame = b && b->name == a->name && b->tokens == a->tokens;
    QList<Bar> bars;
    for (std::size_t i = 0; i < a->values.size(); ++i)
        bars.append({QString::fromStdString(a->tokens[i]), double(a->values[i]),
                     isSame ? std::optional(double(b->values[i])) : std::nullopt});
    const Exposure* exposure = exposureOf({a->name, a->path});
    setBars(bars, QString::fromStdString(exposure ? exposure->title : a->name));
    setNote(QString::fromStdString(a->path));
}

}  // namespace heddle::ui
