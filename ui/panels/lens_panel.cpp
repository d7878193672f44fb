// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/lens_panel.h"

#include "ui/data/exposures.h"
#include "ui/plot/axis_fit.h"
#include "ui/theme/controls.h"

#include <QBoxLayout>
#include <QComboBox>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::ui {
namespace {

/// What is drawn of a layer: its key in settings, its word in the box, and the title of the plot.
struct LensQuantity {
    const char* key;
    QString word, title;
    double LensLayer::*value;
    double factor;  ///< shares are drawn as percent
    int decimals;

    double of(const LensLayer& layer) const { return layer.*value * factor; }
    /// From 0 to 100 % for shares, else from the smallest of the values to the largest.
    MapScale scaleFor(const std::vector<float>& values) const {
        Extent extent;
        if (factor != 1)
            extent = {0, factor};
        else
            for (const float one : values)
                if (std::isfinite(one)) extent.add(double(one));
        if (extent.empty()) extent = {0, 1};
        if (extent.low == extent.high) extent.high = extent.low + 1;
        return {MapId::Attention, MapCurve::Linear, extent.low, extent.high};
    }
};

std::array<LensQuantity, 4> lensQuantities() {
    return {{{"loss", LensPanel::tr("loss"), LensPanel::tr("loss of the reference, nats"), &LensLayer::loss, 1, 3},
             {"accuracy", LensPanel::tr("accuracy"), LensPanel::tr("first choice right, %"), &LensLayer::accuracy, 100, 1},
             {"same", LensPanel::tr("same answer"), LensPanel::tr("same first choice as the whole model, %"),
              &LensLayer::sameAsFinal, 100, 1},
             {"kl", LensPanel::tr("KL divergence"), LensPanel::tr("KL divergence to the whole model, nats"),
              &LensLayer::divergence, 1, 3}}};
}

QString nameOf(const LensLayer& layer) { return shortPath(QString::fromStdString(layer.path)); }

LensQuantity chosenOf(const QComboBox& quantities) {
    return lensQuantities().at(std::size_t(std::max(0, quantities.currentIndex())));
}

/// Whether the layers of both were read at the same number of positions, so that their bars may stand beside each other.
bool areComparable(const LensReport& a, const LensReport& b) {
    return a.split == b.split && a.positions == b.positions &&
           std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                      [](const LensLayer& x, const LensLayer& y) { return x.path == y.path; });
}

}  // namespace

LensPanel::LensPanel(InspectedPair& pair, QWidget* parent) : LensPanel(pair, parent, new MapView) {}

LensPanel::LensPanel(InspectedPair& pair, QWidget* parent, MapView* map)
    : TokenBarsPanel(tr("Logit lens"), pair, parent, map, tr("by checkpoint of A")),
      measured_(
          pair, this, [](InspectionSession& session) { return session.lens({}); }, [this] { show(); }),
      map_(map),
      scale_(new ScaleBar(this)),
      quantity_(new QComboBox(this)),
      all_(new QPushButton(tr("All checkpoints"), this)) {
    map_->setAccessibleName(tr("Logit lens by layer and checkpoint"));
    map_->setShape(MapShape::Stretched);
    quantity_->setObjectName(QStringLiteral("lensQuantity"));
    quantity_->setAccessibleName(tr("What is shown of each layer"));
    setControlRole(*quantity_, ControlRole::Small);
    foot()->addWidget(quantity_);  // the title row has no room in a small window
    all_->setObjectName(QStringLiteral("measureLensOfAll"));
    all_->setToolTip(tr("Measure every checkpoint of A"));
    setControlRole(*all_, ControlRole::Small);
    connect(all_, &QPushButton::clicked, this, [this] { measured_.measure(pair_.a().models()); });
    foot()->addWidget(all_);
    foot()->addStretch();
    foot()->addWidget(scale_);
    QStringList keys, words;
    for (const LensQuantity& one : lensQuantities()) {
        keys << QString::fromLatin1(one.key);
        words << one.word;
    }
    fillChoice(*quantity_, keys, words, {});
    connect(quantity_, &QComboBox::currentIndexChanged, this, &LensPanel::show);
    choices_.add(
        QStringLiteral("inspect/lens_quantity"), [this] { return quantity_->currentData(); },
        [this](const QVariant& stored) { quantity_->setCurrentIndex(std::max(0, quantity_->findData(stored))); });
    measured_.alsoOfB();
    measured_.button()->setObjectName(QStringLiteral("measureLens"));
    addToHead(measured_.button());
    show();
}

void LensPanel::show() {
    measured_.showButton();
    all_->setEnabled(!measured_.isMeasuring() && !measured_.missing(pair_.a().models()).empty());
    const LensReport *a = measured_.of(pair_.a()), *b = measured_.of(pair_.b());
    if (!a) {
        setNote({});
        const auto [title, text] =
            measured_.whyNot(tr("Measure reads the state after each layer as if the model ended there, on the first %1 "
                                "examples of the %2 split.")
                                 .arg(count(ExampleSet().examples), QString::fromStdString(ExampleSet().split)));
        return setPlaceholder(title, text);
    }
    const bool isSame = b && areComparable(*a, *b);
    const LensQuantity shown = chosenOf(*quantity_);
    QList<Bar> bars;
    for (std::size_t i = 0; i < a->layers.size(); ++i) {
        bars.append({nameOf(a->layers[i]), shown.of(a->layers[i]), std::nullopt});
        if (isSame) bars.back().reference = shown.of(b->layers[i]);
    }
    setBars(bars, tr("%1; n = %2").arg(shown.title, count(a->positions)), shown.decimals);
    setNote(measured_.noteOf(*a));
    showMap(*a);
}

/// Shows those checkpoints of A whose reports can stand beside that of the step.
void LensPanel::showMap(const LensReport& now) {
    const LensQuantity shown = chosenOf(*quantity_);
    std::vector<const LensReport*> reports;
    std::vector<Step> steps;
    for (const ModelRef& model : pair_.a().models())
        if (const LensReport* report = measured_.of(model); report && areComparable(*report, now)) {
            reports.push_back(report);
            steps.push_back(model.step);
        }
    for (QWidget* one : {map_->parentWidget(), static_cast<QWidget*>(scale_)}) one->setVisible(reports.size() > 1);
    if (reports.size() < 2) return;
    MapData map;
    map.rows = int(now.layers.size());
    map.columns = int(reports.size());
    for (std::size_t layer = 0; layer < now.layers.size(); ++layer) {
        for (const LensReport* report : reports) map.values.push_back(float(shown.of(report->layers[layer])));
        map.rowLabels << nameOf(now.layers[layer]);
        map.rowValues << number(double(map.values.back()), shown.decimals);
    }
    map.columnLabels << count(steps.front()) << count(steps.back());
    map.columnTitle = tr("step");
    const MapScale scale = shown.scaleFor(map.values);
    scale_->setScale(scale);
    map_->setData(std::move(map), scale);
}

}  // namespace heddle::ui
