// SPDX-License-Identifier: GPL-3.0-or-later
// One number for each token of a sentence, of run A as bars and of run B as ticks: loss of labels, mean gates.
#pragma once

#include "ui/panels/panel.h"
#include "ui/plot/bar_plot.h"

#include <vector>

namespace heddle::ui {

class TokenBarsPanel : public Panel {
    Q_OBJECT

public:
    struct Bars {
        QStringList tokens;
        std::vector<double> a;
        std::vector<double> b;  ///< empty, or as many as `a`
        QString title;          ///< "−ln p, nats"
        QString nameA, nameB;
        int orderA = 1;  ///< colour: Theme::runAt
        QString note;
    };

    TokenBarsPanel(const QString& title, QWidget* parent);

    void setBars(const Bars& bars);
    /// Says in place of bars why there are none.
    void setReason(const QString& title, const QString& text) { setPlaceholder(title, text); }
    const BarPlot& plot() const { return *plot_; }

private:
    BarPlot* plot_;
};

}  // namespace heddle::ui
