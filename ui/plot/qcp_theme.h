// SPDX-License-Identifier: GPL-3.0-or-later
// Gives QCustomPlot the colours and fonts of the theme. For files of ui/plot only.
#pragma once

#include <qcustomplot.h>

namespace heddle::ui {

/// Sets background, left and bottom axis, grid and fonts. Call it at every Theme::changed.
void applyTheme(QCustomPlot& plot);

/// Ticks labelled like every other number on the screen.
class LocaleTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};
class LocaleLogTicker : public QCPAxisTickerLog {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Paints the plot at `size` logical pixels on any device; SVG and PDF stay vectors.
void paintPlot(QCustomPlot& plot, QPaintDevice& device, QSize size);

}  // namespace heddle::ui
