// SPDX-License-Identifier: GPL-3.0-or-later
// A bar plot with a value for each token of a sentence, or each layer of a model. Bars show run A, ticks show run B.
#pragma once

#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"
#include "ui/plot/bar_plot.h"

namespace heddle::ui {

class TokenBarsPanel : public Panel {
    Q_OBJECT

public:
    const BarPlot& plot() const { return *plot_; }

protected:
    /// `beside`: another plot, shown right of the bars below its title, in a widget of its own; null: none.
    TokenBarsPanel(const QString& title, InspectedPair& pair, QWidget* parent, PlotView* beside = nullptr,
                   const QString& besideTitle = {});
    void setBars(const QList<Bar>& bars, const QString& title, int decimals = 2);

    InspectedPair& pair_;

private:
    virtual void show() = 0;

    BarPlot* plot_;
};

/// The loss of each label of the sentence.
class LabelLossPanel : public TokenBarsPanel {
    Q_OBJECT

public:
    LabelLossPanel(InspectedPair& pair, QWidget* parent) : TokenBarsPanel(tr("Loss by label"), pair, parent) {}

private:
    void show() override;
};

/// The first gate over positions in the sublayer of the chosen head.
class MeanGatePanel : public TokenBarsPanel {
    Q_OBJECT

public:
    MeanGatePanel(InspectedPair& pair, QWidget* parent);

private:
    void show() override;
    const PositionMeans* gateOf(const InspectedRun& run) const;

    InspectedPair::Head head_;  ///< the head whose gate is shown
};

}  // namespace heddle::ui
