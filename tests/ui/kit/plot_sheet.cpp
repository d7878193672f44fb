// SPDX-License-Identifier: GPL-3.0-or-later
// One of each plot, arranged like the Watch page.
#include "tests/ui/kit/sheets.h"

#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/scrubber.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QSplitter>
#include <QThread>
#include <QVBoxLayout>

namespace heddle::ui::test {
namespace {

/// Title row of a card, as the dock's will be.
QWidget* card(const char* title, const char* note, QWidget* body, QWidget* foot = nullptr) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QWidget;
    paintGround(*head, Token::Chrome);
    head->setFixedHeight(px(26));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(px(8), 0, px(8), 0);
    auto* name = new QLabel(text(title));
    name->setFont(strongFont(Type::Body));
    auto* more = new QLabel(text(note));
    more->setFont(typeFont(Type::Caption));
    more->setForegroundRole(QPalette::PlaceholderText);
    row->addWidget(name);
    row->addWidget(more, 1);
    column->addWidget(head);
    column->addWidget(body, 1);
    if (foot) {
        auto* line = new QWidget;
        auto* inner = new QHBoxLayout(line);
        inner->setContentsMargins(px(8), px(3), px(8), px(3));
        inner->addWidget(foot);
        inner->addStretch();
        column->addWidget(line);
    }
    return box;
}

MapView* mapView(MapData data, const MapScale& scale) {
    auto* view = new MapView;
    view->setData(std::move(data), scale);
    return view;
}

ScaleBar* scaleBar(const MapScale& scale) {
    auto* bar = new ScaleBar;
    bar->setScale(scale);
    return bar;
}

QString epochText(Step step) { return text("step %1, epoch %2").arg(count(step)).arg(step / 227); }

CurvePlot* curvePlot(const QList<Curve>& curves, ValueFit fit, int decimals) {
    auto* plot = new CurvePlot;
    plot->setValueFit(fit);
    plot->setDecimals(decimals);
    plot->setSmoothing(200);
    plot->setExpectedSteps({0, 27240});
    plot->setCurves(curves);
    plot->setEvents({{5000, EventKind::Resumed, text("resumed; 227 of 227 replayed steps equal")}});
    plot->setStepText(epochText);
    plot->setCursor(9988);
    return plot;
}

QWidget* lower() {
    auto* row = new QSplitter(Qt::Horizontal);
    MapView* attentionView = mapView(attention(), MapScale::attention());
    attentionView->setCurrent(QPoint(5, 5));
    row->addWidget(card("Attention", "decoder.layers.1.cross, head 2", attentionView, scaleBar(MapScale::attention())));

    auto* ridges = new RidgePlot;
    ridges->setHistograms(gateHistograms(), RidgeKind::Unit);
    ridges->setTitles(text("gate value g"), text("epoch"));
    ridges->setTimeLabels(text("0"), text("50"));
    ScaleBar* gateBar = scaleBar(MapScale::gate());
    gateBar->setEnds(text("0 closed"), text("1 open"));
    row->addWidget(card("Gates", "residual (GRC) g, decoder.layers.1.cross, 64 bins", ridges, gateBar));

    MapView* sites = mapView(gatesBySite(), MapScale::gate());
    sites->setShape(MapShape::Stretched);
    sites->setCurrent(QPoint(-1, 8));
    row->addWidget(card("Mean g by site", "", sites));

    auto* bars = new BarPlot;
    bars->setData(sparsity());
    row->addWidget(card("Sparsity", "", bars));
    row->setSizes({370, 320, 250, 250});
    return row;
}

QWidget* scrubberRow() {
    auto* scrubber = new Scrubber;
    std::vector<int> steps;
    for (int epoch = 0; epoch <= 50; ++epoch) steps.push_back(epoch * 227);
    scrubber->setSteps(27240);
    scrubber->setSnapshots(steps);
    scrubber->setEvents({{5000, EventKind::Resumed, text("resumed")}});
    scrubber->setBest(227 * 44);
    auto* row = new QWidget;
    auto* inner = new QHBoxLayout(row);
    inner->setContentsMargins(px(12), 0, px(12), 0);
    auto* name = new QLabel(text("Snapshot"));
    name->setFont(strongFont(Type::Body));
    inner->addWidget(name);
    inner->addWidget(scrubber, 1);
    return row;
}

}  // namespace

void settle(QWidget& sheet) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 400) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(5);
    }
    for (CurvePlot* plot : sheet.findChildren<CurvePlot*>()) plot->replotNow();
    QCoreApplication::processEvents();
}

std::unique_ptr<QWidget> plotSheet() {
    auto sheet = std::make_unique<QWidget>();
    sheet->setFixedSize(1190, 800);
    auto* column = new QVBoxLayout(sheet.get());
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(card("Loss", "cross-entropy, smoothing 0.1, nats a token", curvePlot(lossCurves(), ValueFit::Robust, 3)));
    upper->addWidget(
        card("Accuracy", "share of non-pad positions, teacher forcing, %", curvePlot(accuracyCurves(), ValueFit::Full, 2)));
    column->addWidget(upper, 10);
    column->addWidget(lower(), 11);
    column->addWidget(scrubberRow());
    return sheet;
}

std::unique_ptr<QWidget> comparePlotSheet() {
    auto sheet = std::make_unique<QWidget>();
    sheet->setFixedSize(1190, 620);
    auto* column = new QVBoxLayout(sheet.get());
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* upper = new QSplitter(Qt::Horizontal);
    const char* names[] = {"eau-base-k128", "eau-full-k128", "eau-base-k128-f866", "eau-only-k128", "grc-only-k128",
                           "eau-full-k256", "thesis-G1",     "thesis-R",           "realformer"};
    QList<Curve> nine;
    for (int i = 0; i < 9; ++i) {
        Curve curve;
        curve.id = i;
        curve.label = text(names[i]);
        curve.order = i;
        curve.weight = i == 0 ? LineWeight::Baseline : LineWeight::Normal;
        curve.rows = lossSeries({8.9, 1.75 + 0.09 * i, 0.006, 27240, 227, std::uint64_t(60 + i)});
        if (i < 2) {
            curve.low = lossSeries({8.9, 1.72 + 0.09 * i, 0.006, 27240, 227, std::uint64_t(70 + i)});
            curve.high = lossSeries({8.95, 1.79 + 0.09 * i, 0.006, 27240, 227, std::uint64_t(80 + i)});
        }
        nine.append(curve);
    }
    auto* curves = new CurvePlot;
    curves->setCurves(nine);
    curves->setValueFit(ValueFit::Robust);
    upper->addWidget(card("Valid loss", "mean and range of 3 seeds, nats a token", curves));
    auto* failed = new CurvePlot;
    Curve diverged;
    diverged.label = text("eau-full-k256 s1, train");
    diverged.order = 7;
    auto rows = std::make_shared<Series>();
    for (Step step = 1; step < 4312; ++step)
        rows->append(step, 2.2 + 5 * std::exp(-double(step) / 600) + 2 * std::exp((double(step) - 4312) / 90) +
                               0.07 * bell(5, std::uint64_t(step)));
    diverged.rows = rows;
    diverged.rule = LineRule::Solid;
    diverged.smoothed = true;
    failed->setSmoothing(40);
    failed->setCurves({diverged});
    failed->setValueScale(AxisScale::Log);
    failed->setExpectedSteps({0, 6000});
    failed->setEvents({{4312, EventKind::Failure, text("loss is NaN from 4,312")},
                       {1200, EventKind::Gap, text("rows thinned")},
                       {2500, EventKind::Intervention, text("gate clamped")}});
    upper->addWidget(card("Train loss", "log axis, a failure", failed));
    column->addWidget(upper, 1);
    auto* lowerRow = new QSplitter(Qt::Horizontal);
    const MapScale small = MapScale::symmetric(0.25), large = MapScale::symmetric(5);
    lowerRow->addWidget(card("A − B", "", mapView(difference(), small), scaleBar(small)));
    lowerRow->addWidget(card("Scores", "causal; one cell not finite", mapView(causalScores(), large), scaleBar(large)));
    auto* ridges = new RidgePlot;
    ridges->setHistograms(signedHistograms(), RidgeKind::Signed);
    ridges->setTitles(text("tanh gate"), text("step"));
    lowerRow->addWidget(card("Adjuster", "y − x", ridges));
    auto* asTable = new CurvePlot;
    asTable->setCurves(nine.mid(0, 3));
    asTable->setMode(PlotMode::Table);
    lowerRow->addWidget(card("Valid loss", "as a table", asTable));
    lowerRow->setSizes({330, 310, 270, 280});
    column->addWidget(lowerRow, 1);
    return sheet;
}

std::vector<Sheet> sheets() {
    return {{text("controls"), controlSheet},
            {text("colours"), colourSheet},
            {text("plots"), plotSheet},
            {text("compare"), comparePlotSheet}};
}

}  // namespace heddle::ui::test
