// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/lens_panel.h"

#include "ui/data/exposures.h"
#include "ui/theme/controls.h"

#include <QBoxLayout>
#include <QComboBox>

#include <algorithm>
#include <array>
#include <optional>

namespace heddle::ui {
namespace {

/// What is drawn of a layer: its key in settings, its word in the box, and the title of the plot.
struct LensQuantity {
    const char* key;
    QString word, title;
    double LensLayer::*value;
    double factor;  ///< shares are drawn as percent
    int decimals;
};

std::array<LensQuantity, 4> lensQuantities() {
    return {{{"loss", LensPanel::tr("loss"), LensPanel::tr("loss of the reference, nats"), &LensLayer::loss, 1, 3},
             {"accuracy", LensPanel::tr("accuracy"), LensPanel::tr("first choice right, %"), &LensLayer::accuracy, 100, 1},
             {"same", LensPanel::tr("same answer"), LensPanel::tr("same first choice as the whole model, %"),
              &LensLayer::sameAsFinal, 100, 1},
             {"kl", LensPanel::tr("KL divergence"), LensPanel::tr("KL divergence to the whole model, nats"),
              &LensLayer::divergence, 1, 3}}};
}

/// Whether the layers of both were read at the same number of positions, so that their bars may stand beside each other.
bool areComparable(const LensReport& a, const LensReport& b) {
    return a.split == b.split && a.positions == b.positions &&
           std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                      [](const LensLayer& x, const LensLayer& y) { return x.path == y.path; });
}

}  // namespace

LensPanel::LensPanel(InspectedPair& pair, QWidget* parent)
    : TokenBarsPanel(tr("Logit lens"), pair, parent),
      measured_(
          pair, this, [](InspectionSession& session) { return session.lens({}); }, [this] { show(); }),
      quantity_(new QComboBox(this)) {
    quantity_->setObjectName(QStringLiteral("lensQuantity"));
    quantity_->setAccessibleName(tr("What is shown of each layer"));
    setControlRole(*quantity_, ControlRole::Small);
    foot()->addWidget(quantity_);  // the title row has no room in a small window
    foot()->addStretch();
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
    const LensQuantity shown = lensQuantities().at(std::size_t(std::max(0, quantity_->currentIndex())));
    QList<Bar> bars;
    for (std::size_t i = 0; i < a->layers.size(); ++i) {
        bars.append(
            {shortPath(QString::fromStdString(a->layers[i].path)), a->layers[i].*shown.value * shown.factor, std::nullopt});
        if (isSame) bars.back().reference = b->layers[i].*shown.value * shown.factor;
    }
    setBars(bars, tr("%1; n = %2").arg(shown.title, count(a->positions)), shown.decimals);
    setNote(measured_.noteOf(*a));
}

}  // namespace heddle::ui
