// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/qcp_theme.h"

#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

namespace heddle::ui {

void applyTheme(QCustomPlot& plot) {
    plot.setBackground(Theme::color(Token::Base));
    plot.setPlottingHint(QCP::phImmediateRefresh, false);  // painted with the rest of the window, not a second time
    plot.setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid | QCP::aeSubGrid);
    QCPAxisRect& rect = *plot.axisRect();
    const QPen axisPen(Theme::color(Token::Plotaxis), 1), gridPen(Theme::color(Token::Plotgrid), 1);
    for (QCPAxis* axis : rect.axes()) {
        const bool used = axis->axisType() == QCPAxis::atLeft || axis->axisType() == QCPAxis::atBottom;
        axis->setVisible(used);
        axis->setBasePen(axisPen);
        axis->setTickPen(axisPen);
        axis->setSubTicks(false);
        axis->setTickLength(0, px(4));
        axis->setTickLabelPadding(px(3));
        axis->setLabelPadding(0);
        axis->setTickLabelFont(numberFont(Type::Caption));
        axis->setLabelFont(typeFont(Type::Caption));
        axis->setTickLabelColor(Theme::color(Token::Text2));
        axis->setLabelColor(Theme::color(Token::Text2));
        axis->grid()->setPen(gridPen);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->grid()->setSubGridVisible(false);
    }
    plot.legend->setFont(typeFont(Type::Caption));
    plot.legend->setTextColor(Theme::color(Token::Text));
    plot.legend->setBrush(Theme::color(Token::Base));
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setIconSize(px(28), px(12));
    // Half a tick label extends above the axis; QCustomPlot leaves out labels that do not fit.
    const int above = std::max(px(8), QFontMetrics(typeFont(Type::Caption)).height() / 2 + 2);
    rect.setMinimumMargins(QMargins(px(44), above, px(12), px(8)));
}

QString LocaleTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return shortNumber(std::abs(tick) < 1e-9 * mTickCount ? 0 : tick);
}

QString LocaleLogTicker::getTickLabel(double tick, const QLocale&, QChar, int) { return shortNumber(tick); }

void paintPlot(QCustomPlot& plot, QPaintDevice& device, QSize size) {
    QCPPainter painter(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    if (!dynamic_cast<QImage*>(&device)) painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching);
    plot.toPainter(&painter, size.width(), size.height());
}

}  // namespace heddle::ui
