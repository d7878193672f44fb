// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/token_bars_panel.h"

namespace heddle::ui {

TokenBarsPanel::TokenBarsPanel(const QString& title, QWidget* parent) : Panel(title, parent), plot_(new BarPlot(this)) {
    plot_->setAccessibleName(title);
    setScrolledBody(plot_);
    setPlaceholder(tr("Nothing measured yet"), {});
}

void TokenBarsPanel::setBars(const Bars& bars) {
    BarData made;
    for (qsizetype i = 0; i < bars.tokens.size() && i < qsizetype(bars.a.size()); ++i) {
        Bar bar{bars.tokens[i], bars.a[std::size_t(i)], std::nullopt};
        if (bars.b.size() == bars.a.size()) bar.reference = bars.b[std::size_t(i)];
        made.bars.append(bar);
    }
    made.order = bars.orderA;
    made.decimals = 2;
    made.title = bars.title;
    made.runName = bars.nameA;
    made.referenceName = bars.b.size() == bars.a.size() ? bars.nameB : QString();
    plot_->setData(std::move(made));
    plot_->setMinimumHeight(plot_->sizeHint().height());
    setNote(bars.note);
    setPlaceholder({}, {});
}

}  // namespace heddle::ui
