// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_panel.h"

#include "ui/data/exposures.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QLabel>
#include <QPushButton>
#include <QSettings>

#include <cmath>

namespace heddle::ui {
namespace {

QWidget* titled(const QString& title, MapView* map, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* label = new QLabel(title, box);
    label->setFont(strongFont(Type::Caption));
    label->setIndent(px(8));
    column->addWidget(label);
    column->addWidget(map, 1);
    return box;
}

}  // namespace

HeadPanel::HeadPanel(QWidget* parent)
    : Panel(tr("Head"), parent),
      views_(new QButtonGroup(this)),
      mapA_(new MapView(this)),
      mapB_(new MapView(this)),
      mapDifference_(new MapView(this)),
      words_(new QLabel(this)),
      apart_(new QLabel(this)),
      bar_(new ScaleBar(this)),
      differenceBar_(new ScaleBar(this)) {
    mapA_->setAccessibleName(tr("Map of run A"));
    mapB_->setAccessibleName(tr("Map of run B"));
    mapDifference_->setAccessibleName(tr("Difference of the maps, A minus B"));
    setBody(buildBody(), {mapA_, mapB_, mapDifference_});
    const QStringList names{tr("A"), tr("B"), tr("A, B"), tr("A − B")};
    const QStringList keys{QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3"), QStringLiteral("4")};
    for (int i = 0; i < names.size(); ++i) {
        auto* button = new QPushButton(names[i], this);
        button->setCheckable(true);
        button->setChecked(i == 0);
        button->setToolTip(tr("Show %1 (%2)").arg(names[i], keys[i]));
        button->setAccessibleName(tr("Show %1").arg(names[i]));
        setControlRole(*button, i == 0                  ? ControlRole::GroupFirst
                                : i == names.size() - 1 ? ControlRole::GroupLast
                                                        : ControlRole::GroupMiddle);
        views_->addButton(button, i);
        addToHead(button);
    }
    connect(views_, &QButtonGroup::idClicked, this, [this](int id) { setView(HeadView(id)); });
    for (MapView* map : {mapA_, mapB_, mapDifference_})
        connect(map, &MapView::currentChanged, this,
                [this](std::optional<QPoint> cell) { Q_EMIT rowFollowed(cell ? cell->y() : -1); });
    foot()->addWidget(bar_);
    foot()->addWidget(differenceBar_);
    foot()->addStretch();
    setPlaceholder(tr("No head to show"), {});
}

QWidget* HeadPanel::buildBody() {
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(4));
    auto* both = new QHBoxLayout;
    both->setSpacing(px(4));
    boxA_ = titled(tr("A"), mapA_, body);
    boxB_ = titled(tr("B"), mapB_, body);
    boxDifference_ = titled(tr("A − B"), mapDifference_, body);
    both->addWidget(boxA_, 1);
    both->addWidget(boxB_, 1);
    column->addLayout(both, 1);
    column->addWidget(boxDifference_, 1);
    for (QLabel* label : {apart_, words_}) {
        label->setWordWrap(true);
        label->setMargin(px(8));
        label->setFont(typeFont(Type::Caption));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    apart_->setForegroundRole(QPalette::PlaceholderText);
    return body;
}

void HeadPanel::setShown(const Shown& shown) {
    shown_ = shown;
    show();
}

void HeadPanel::setView(HeadView view) {
    if (view_ == view) return;
    view_ = view;
    views_->button(int(view))->setChecked(true);
    show();
    Q_EMIT viewChanged();
}

void HeadPanel::followRow(int row) {
    for (MapView* map : {mapA_, mapB_, mapDifference_}) {
        const QSignalBlocker quiet(map);
        map->setCurrent(row < 0 ? std::nullopt : std::optional(QPoint(-1, row)));
    }
}

void HeadPanel::show() {
    const bool isPair = shown_.b && shown_.apart.isEmpty();
    for (const HeadView view : {HeadView::B, HeadView::Both}) views_->button(int(view))->setEnabled(bool(shown_.b));
    views_->button(int(HeadView::Difference))->setEnabled(isPair);
    const auto* a = shown_.a ? shown_.a->find(shown_.family, shown_.path) : nullptr;
    const auto* b = shown_.b ? shown_.b->find(shown_.family, shown_.path) : nullptr;
    HeadView view = view_;
    if (!b || (view == HeadView::Difference && !isPair)) view = b && view != HeadView::A ? HeadView::Both : HeadView::A;
    const storage::MapRecord* const first = view == HeadView::B ? b : a;
    if (!first || shown_.head >= first->heads) {
        setPlaceholder(tr("No head to show"), a || b ? tr("This run has no such head.") : tr("Choose a head in the grid."));
        setNote({});
        return;
    }
    setPlaceholder({}, {});
    setNote(QStringLiteral("%1 %2").arg(QString::fromStdString(shown_.path)).arg(shown_.head));
    const bool hasB = b && shown_.head < b->heads;
    std::vector<const SentenceMaps*> both{shown_.a.get()};
    if (hasB) both.push_back(shown_.b.get());
    const MapScale scale = scaleFor(shown_.family, both);
    const MapData dataA = a && shown_.head < a->heads ? headOf(*a, shown_.head) : MapData();
    const MapData dataB = hasB ? headOf(*b, shown_.head) : MapData();
    mapA_->setScale(scale);
    mapB_->setScale(scale);
    mapA_->setData(dataA);
    mapB_->setData(dataB);
    bar_->setScale(scale);
    boxA_->setVisible(view != HeadView::B);
    boxB_->setVisible(view != HeadView::A && hasB);
    boxDifference_->setVisible(view == HeadView::Difference && hasB);
    differenceBar_->setVisible(boxDifference_->isVisibleTo(this));
    words_->clear();
    apart_->setText(shown_.b ? shown_.apart : QString());
    apart_->setVisible(!apart_->text().isEmpty());
    if (view == HeadView::Difference && hasB) showDifference(dataA, dataB);
    const Entropy entropyA = entropyOf(dataA), entropyB = entropyOf(dataB);
    if (shown_.family == MapFamily::Weights && std::isfinite(entropyA.bits)) {
        const QString said = hasB && std::isfinite(entropyB.bits)
                                 ? tr("Mean entropy: A %1, B %2 bits").arg(number(entropyA.bits, 2), number(entropyB.bits, 2))
                                 : tr("Mean entropy: %1 of %2 bits").arg(number(entropyA.bits, 2), number(entropyA.most, 2));
        words_->setText(words_->text().isEmpty() ? said : words_->text() + QStringLiteral("\n") + said);
    }
    words_->setVisible(!words_->text().isEmpty());
}

void HeadPanel::showDifference(const MapData& a, const MapData& b) {
    const auto made = difference(a, b);
    if (!made) {
        boxDifference_->hide();
        words_->setText(tr("A and B read sentences of different lengths."));
        return;
    }
    double largest = 0, sum = 0;
    qint64 cells = 0;
    QPoint where(0, 0);
    for (int row = 0; row < made->rows; ++row)
        for (int column = 0; column < made->columns; ++column) {
            const auto value = double(made->at(row, column));
            if (made->isMasked(row, column) || !std::isfinite(value)) continue;
            sum += std::abs(value);
            ++cells;
            if (std::abs(value) <= std::abs(largest)) continue;
            largest = value;
            where = {column, row};
        }
    const MapScale scale = MapScale::symmetric(std::max(std::abs(largest), 1e-6));
    mapDifference_->setScale(scale);
    mapDifference_->setData(*made);
    differenceBar_->setScale(scale);
    const QString at = made->rowLabels.value(where.y()) + QStringLiteral(", ") + made->columnLabels.value(where.x());
    words_->setText(tr("Largest %1 at %2; mean |A − B| %3")
                        .arg(signedNumber(largest, 3), at, number(cells > 0 ? sum / double(cells) : 0, 3)));
}

void HeadPanel::saveSession(QSettings& settings) const { settings.setValue(QStringLiteral("inspect/head_view"), int(view_)); }

void HeadPanel::restoreSession(QSettings& settings) {
    setView(HeadView(std::clamp(settings.value(QStringLiteral("inspect/head_view")).toInt(), 0, 3)));
}

}  // namespace heddle::ui
