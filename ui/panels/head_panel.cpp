// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_panel.h"

#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace heddle::ui {
namespace {

QLabel* titleLabel(const QString& title, QWidget* parent) {
    auto* label = new ElidedLabel(title, parent);
    label->setFont(strongFont(Type::Caption));
    label->setContentsMargins(px(8), 0, px(4), 0);
    return label;
}

QWidget* titled(QLabel* title, MapView* map, QWidget* parent) {
    auto* box = new QWidget(parent);
    QVBoxLayout* column = makeColumn(box);
    column->addWidget(title);
    column->addWidget(map, 1);
    return box;
}

/// The keys that a query attends to most, with what the map has there.
QString strongest(const MapData& map, int row) {
    constexpr int kMost = 3;
    std::vector<int> columns;
    for (int column = 0; column < map.columns; ++column)
        if (!map.isMasked(row, column) && std::isfinite(map.at(row, column))) columns.push_back(column);
    const auto shown = std::min<std::ptrdiff_t>(kMost, std::ssize(columns));
    std::partial_sort(columns.begin(), columns.begin() + shown, columns.end(),
                      [&](int a, int b) { return map.at(row, a) > map.at(row, b); });
    QStringList words;
    for (const int column : std::span(columns).first(std::size_t(shown)))
        words << QStringLiteral("%1 %2").arg(map.columnLabels.value(column, QString::number(column)),
                                             number(double(map.at(row, column)), 2));
    return words.join(QStringLiteral(", "));
}

}  // namespace

HeadPanel::HeadPanel(QWidget* parent)
    : Panel(tr("Head"), parent),
      views_(new Segments({tr("A"), tr("B"), tr("A, B"), tr("A − B")}, this)),
      mapA_(new MapView(this)),
      mapB_(new MapView(this)),
      mapDifference_(new MapView(this)),
      titleA_(titleLabel({}, this)),
      titleB_(titleLabel({}, this)),
      words_(new QLabel(this)),
      apart_(new QLabel(this)),
      bar_(new ScaleBar(this)),
      differenceBar_(new ScaleBar(this)) {
    mapA_->setAccessibleName(tr("Map of run A"));
    mapB_->setAccessibleName(tr("Map of run B"));
    mapDifference_->setAccessibleName(tr("Difference of the maps, A minus B"));
    setBody(buildBody(), {mapA_, mapB_, mapDifference_});
    for (int i = 0; i < 4; ++i) {
        QPushButton& button = views_->button(i);
        button.setToolTip(tr("Show %1 (%2)").arg(button.text()).arg(i + 1));
        button.setAccessibleName(tr("Show %1").arg(button.text()));
    }
    views_->allowShrinking();
    addToHead(views_);
    connect(views_, &Segments::chosen, this, [this](int index) { setView(HeadView(index)); });
    for (MapView* map : {mapA_, mapB_, mapDifference_})
        connect(map, &MapView::currentChanged, this, [this](std::optional<QPoint> cell) { followRow(cell ? cell->y() : -1); });
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
    boxA_ = titled(titleA_, mapA_, body);
    boxB_ = titled(titleB_, mapB_, body);
    boxDifference_ = titled(titleLabel(tr("A − B"), body), mapDifference_, body);
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
    if (shown == shown_) return;
    shown_ = shown;
    show();
}

void HeadPanel::setView(HeadView view) {
    if (view_ == view) return;
    view_ = view;
    views_->setCurrent(int(view));
    show();
    Q_EMIT viewChanged();
}

void HeadPanel::followRow(int row) {
    row_ = row;
    for (MapView* map : {mapA_, mapB_, mapDifference_}) {
        const QSignalBlocker quiet(map);
        map->setCurrent(row < 0 || row >= map->data().rows ? std::nullopt : std::optional(QPoint(-1, row)));
    }
    showWords();
}

void HeadPanel::show() {
    const auto* a = shown_.a ? shown_.a->find(shown_.family, shown_.path) : nullptr;
    const auto* b = shown_.b ? shown_.b->find(shown_.family, shown_.path) : nullptr;
    if (a && shown_.head >= a->heads) a = nullptr;
    if (b && shown_.head >= b->heads) b = nullptr;
    const bool canSubtract = a && b && shown_.apart.isEmpty();
    for (const HeadView view : {HeadView::B, HeadView::Both}) views_->button(int(view)).setEnabled(bool(shown_.b));
    views_->button(int(HeadView::Difference)).setEnabled(canSubtract);
    apart_->setText(shown_.b ? shown_.apart : QString());
    apart_->setVisible(!apart_->text().isEmpty());
    HeadView view = view_;
    if (!shown_.b) view = HeadView::A;
    if (view == HeadView::Difference && !canSubtract) view = HeadView::Both;
    const bool showsA = view != HeadView::B, showsB = view != HeadView::A;
    differenceWords_.clear();
    if (!(showsA && a) && !(showsB && b)) {
        setPlaceholder(tr("No head to show"), a || b ? tr("This run has no such head.") : tr("Choose a head in the grid."));
        return setNote({});
    }
    setPlaceholder({}, {});
    setNote(QStringLiteral("%1 %2").arg(QString::fromStdString(shown_.path)).arg(shown_.head));
    const HeadGridData* gridA = a ? shown_.a->grid(shown_.family).get() : nullptr;
    const HeadGridData* gridB = b ? shown_.b->grid(shown_.family).get() : nullptr;
    const MapScale scale = gridA ? commonScale(*gridA, gridB) : gridB->scale;
    bar_->setScale(scale);
    const MapData dataA = a ? headOf(*a, shown_.head) : MapData(), dataB = b ? headOf(*b, shown_.head) : MapData();
    mapA_->setData(dataA, scale);
    mapB_->setData(dataB, scale);
    for (const auto& [label, letter, name] :
         {std::tuple(titleA_, tr("A"), shown_.nameA), std::tuple(titleB_, tr("B"), shown_.nameB)}) {
        label->setText(name.isEmpty() ? letter : QStringLiteral("%1: %2").arg(letter, name));
        label->setToolTip(label->text());
    }
    boxA_->setVisible(showsA && a);
    boxB_->setVisible(showsB && b);
    boxDifference_->setVisible(view == HeadView::Difference);
    differenceBar_->setVisible(view == HeadView::Difference);
    if (view == HeadView::Difference) showDifference(*a, *b);
    followRow(row_);
}

void HeadPanel::showWords() {
    QStringList lines;
    if (!differenceWords_.isEmpty()) lines << differenceWords_;
    const HeadCell* a = shown_.a ? shown_.a->cell(shown_.family, shown_.path, shown_.head) : nullptr;
    const HeadCell* b = shown_.b ? shown_.b->cell(shown_.family, shown_.path, shown_.head) : nullptr;
    const bool hasA = a && std::isfinite(a->entropy) && boxA_->isVisibleTo(this);
    const bool hasB = b && std::isfinite(b->entropy) && boxB_->isVisibleTo(this);
    if (hasA && hasB)
        lines << tr("Mean entropy: A %1, B %2 bits").arg(number(a->entropy, 2), number(b->entropy, 2));
    else if (hasA || hasB)
        lines << tr("Mean entropy: %1 of %2 bits")
                     .arg(number((hasA ? a : b)->entropy, 2), number((hasA ? a : b)->mostEntropy, 2));
    for (const auto& [map, box, name] : {std::tuple(mapA_, boxA_, tr("A")), std::tuple(mapB_, boxB_, tr("B"))})
        if (row_ >= 0 && row_ < map->data().rows && box->isVisibleTo(this))
            lines << tr("%1, %2 attends most to %3")
                         .arg(name, map->data().rowLabels.value(row_, QString::number(row_)), strongest(map->data(), row_));
    words_->setText(lines.join(QLatin1Char('\n')));
    words_->setVisible(!lines.isEmpty());
}

void HeadPanel::showDifference(const storage::MapRecord& a, const storage::MapRecord& b) {
    const auto found = headDifference(headMapsOf(a), headMapsOf(b), shown_.head);
    if (!found) {
        boxDifference_->hide();
        differenceWords_ = tr("A and B read sentences of different lengths.");
        return;
    }
    MapData made = mapA_->data();
    if (made.masked.empty()) made.masked = mapB_->data().masked;
    made.values = found->values;
    const MapScale scale = MapScale::symmetric(std::max(std::abs(found->largest), 1e-6));
    mapDifference_->setData(made, scale);
    differenceBar_->setScale(scale);
    const QString at =
        made.rowLabels.value(int(found->row)) + QStringLiteral(", ") + made.columnLabels.value(int(found->column));
    differenceWords_ =
        tr("Largest %1 at %2; mean |A − B| %3").arg(signedNumber(found->largest, 3), at, number(found->meanAbsolute, 3));
}

void HeadPanel::saveSession(QSettings& settings) const { settings.setValue(QStringLiteral("inspect/head_view"), int(view_)); }

void HeadPanel::restoreSession(QSettings& settings) {
    setView(HeadView(std::clamp(settings.value(QStringLiteral("inspect/head_view")).toInt(), 0, 3)));
}

}  // namespace heddle::ui
