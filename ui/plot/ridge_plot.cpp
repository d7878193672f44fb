// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/ridge_plot.h"

#include "ui/plot/qcp_theme.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"

namespace heddle::ui {
namespace {

constexpr std::size_t kMostRidges = 14;

double mass(const Histogram& ridge) {
    double sum = 0;
    for (const float count : ridge.counts) sum += double(count);
    return sum;
}

}  // namespace

/// The base line of ridge i is at value coordinate i; heights are in the same unit.
class RidgeLines : public QCPAbstractPlottable {
public:
    RidgeLines(QCPAxis* keyAxis, QCPAxis* valueAxis) : QCPAbstractPlottable(keyAxis, valueAxis) {}

    std::vector<Histogram> ridges;  ///< those drawn, oldest first
    RidgeKind kind = RidgeKind::Unit;
    double overlap = 3.4;  ///< height of the highest ridge, in distances between ridges

    /// Share of the mass per bin over the largest share of all ridges.
    std::vector<double> heights(const Histogram& ridge) const;
    double peak() const;

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return found = false, QCPRange(); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override { return found = false, QCPRange(); }

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
};

std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
    std::vector<std::size_t> chosen;
    if (all == 0 || most == 0) return chosen;
    const std::size_t wanted = std::min(all, most);
    for (std::size_t i = 0; i < wanted; ++i)
        chosen.push_back(wanted == 1 ? all - 1 : std::size_t(std::llround(double(i) * double(all - 1) / double(wanted - 1))));
    return chosen;
}

double RidgeLines::peak() const {
    double highest = 0;
    for (const Histogram& ridge : ridges) {
        const double whole = mass(ridge);
        for (const float count : ridge.counts)
            if (whole > 0) highest = std::max(highest, double(count) / whole);
    }
    return highest;
}

std::vector<double> RidgeLines::heights(const Histogram& ridge) const {
    const double whole = mass(ridge), highest = peak();
    std::vector<double> result;
    for (const float count : ridge.counts)
        result.push_back(whole > 0 && highest > 0 ? double(count) / whole / highest * overlap : 0);
    return result;
}

void RidgeLines::draw(QCPPainter* painter) {
    const bool dark = Theme::isDark(), neutral = kind == RidgeKind::Signed;
    const double oldest = dark ? 0.30 : 0.16, newest = dark ? 0.72 : 0.62;
    for (std::size_t i = 0; i < ridges.size(); ++i) {
        const Histogram& ridge = ridges[i];
        const std::vector<double> tall = heights(ridge);
        if (tall.empty()) continue;  // a database from elsewhere may have a histogram without bins
        const double age = ridges.size() == 1 ? 1 : double(i) / double(ridges.size() - 1);
        const double width = (ridge.high - ridge.low) / double(std::max<std::size_t>(1, tall.size()));
        QPolygonF line;
        for (std::size_t bin = 0; bin < tall.size(); ++bin)
            for (const std::size_t edge : {bin, bin + 1})
                line << QPointF(mKeyAxis->coordToPixel(ridge.low + double(edge) * width),
                                mValueAxis->coordToPixel(double(i) - tall[bin]));
        const double base = mValueAxis->coordToPixel(double(i));
        QPolygonF area = line;
        area.prepend({line.first().x(), base});
        area.append({line.last().x(), base});
        painter->setAntialiasing(false);
        painter->setPen(Qt::NoPen);
        painter->setBrush(neutral ? mix(Theme::color(Token::Base), Theme::color(Token::Text2), 0.35)
                                  : Theme::mapColor(MapId::Gate, oldest + age * (newest - oldest)));
        painter->drawPolygon(area);
        painter->setAntialiasing(true);
        painter->setBrush(Qt::NoBrush);
        const QColor outline = neutral ? Theme::color(Token::Text2) : Theme::mapColor(MapId::Gate, dark ? 0.90 : 0.85);
        painter->setPen(QPen(outline, i + 1 == ridges.size() ? 1.4 : 0.9, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter->drawPolyline(line);
    }
    if (!neutral) return;
    painter->setAntialiasing(false);
    painter->setPen(QPen(Theme::color(Token::Cross), 1));
    const QRect rect = mKeyAxis->axisRect()->rect();
    const double zero = mKeyAxis->coordToPixel(0);
    painter->drawLine(QPointF(zero, rect.top()), QPointF(zero, rect.bottom()));
}

RidgePlot::RidgePlot(QWidget* parent) : PlotView(parent), plot_(new QCustomPlot(this)) {
    plot_->setMinimumSize(1, 1);  // QCustomPlot cannot paint at an empty size
    ridges_ = new RidgeLines(plot_->xAxis, plot_->yAxis);
    plot_->xAxis->setTicker(QSharedPointer<LocaleTicker>::create());
    plot_->xAxis->ticker()->setTickCount(4);
    setChart(plot_);
    RidgePlot::recolour();
}

void RidgePlot::recolour() {
    applyTheme(*plot_);
    plot_->yAxis->setBasePen(Qt::NoPen);
    plot_->yAxis->setTickPen(Qt::NoPen);
    plot_->yAxis->grid()->setVisible(false);
}

void RidgePlot::redraw() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void RidgePlot::setHistograms(std::vector<Histogram> histograms, RidgeKind kind) {
    histograms_ = std::move(histograms);
    ridges_->kind = kind;
    ridges_->ridges.clear();
    for (const std::size_t i : spread(histograms_.size(), kMostRidges)) ridges_->ridges.push_back(histograms_[i]);
    arrange();
    tableChanged();
}

void RidgePlot::setTitles(const QString& values, const QString& time) {
    plot_->xAxis->setLabel(values);
    plot_->yAxis->setLabel(time);
    arrange();
}

void RidgePlot::setTimeLabels(const QString& first, const QString& last) {
    firstLabel_ = first;
    lastLabel_ = last;
    arrange();
}

void RidgePlot::arrange() {
    const std::vector<Histogram>& ridges = ridges_->ridges;
    if (ridges.empty()) return redraw();
    double low = ridges.front().low, high = ridges.front().high;
    for (const Histogram& ridge : ridges) low = std::min(low, ridge.low), high = std::max(high, ridge.high);
    plot_->xAxis->setRange(low, high);
    plot_->yAxis->setRangeReversed(true);
    double top = 0;  // the oldest ridges may extend above the first base line
    for (std::size_t i = 0; i < ridges.size(); ++i) {
        const std::vector<double> tall = ridges_->heights(ridges[i]);
        top = std::min(top, double(i) - (tall.empty() ? 0 : *std::max_element(tall.begin(), tall.end())));
    }
    plot_->yAxis->setRange(top - 0.15, double(ridges.size()) - 1);
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    ticker->addTick(0, firstLabel_.isEmpty() ? count(ridges.front().step) : firstLabel_);
    if (ridges.size() > 1)
        ticker->addTick(double(ridges.size() - 1), lastLabel_.isEmpty() ? count(ridges.back().step) : lastLabel_);
    plot_->yAxis->setTicker(ticker);
    redraw();
}

PlotTable RidgePlot::table() const {
    PlotTable table;
    table.columns << tr("Step") << tr("Mean") << tr("Below 5 %") << tr("Above 95 %") << tr("Values");
    table.caption = tr("one row for each snapshot; shares of the range");
    for (const Histogram& ridge : histograms_) {
        double whole = 0, sum = 0, lowEnd = 0, highEnd = 0;
        for (std::size_t bin = 0; bin < ridge.counts.size(); ++bin) {
            const double share = (double(bin) + 0.5) / double(ridge.counts.size()), n = double(ridge.counts[bin]);
            whole += n;
            sum += n * (ridge.low + share * (ridge.high - ridge.low));
            if (share < 0.05) lowEnd += n;
            if (share > 0.95) highEnd += n;
        }
        const auto part = [whole](double n) { return number(whole > 0 ? std::optional(n / whole) : std::nullopt, 3); };
        table.rows << QStringList{count(ridge.step), part(sum), part(lowEnd), part(highEnd), count(qint64(whole))};
    }
    return table;
}

void RidgePlot::paintOn(QPaintDevice& device, QSize size) { paintPlot(*plot_, device, size); }

}  // namespace heddle::ui
