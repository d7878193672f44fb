// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_panel.h"

#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace heddle::ui {
namespace {

/// The keys that a query attends to most, with the weights.
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

HeadPanel::HeadPanel(InspectedPair& pair, QWidget* parent)
    : Panel(tr("Head"), parent),
      pair_(pair),
      views_(new Segments({tr("A"), tr("B"), tr("A, B"), tr("A − B")}, this)),
      a_(makePane(tr("A"), tr("Map of run A"))),
      b_(makePane(tr("B"), tr("Map of run B"))),
      difference_(makePane(tr("A − B"), tr("Difference of the maps, A minus B"))),
      words_(new QLabel(this)),
      whyDiffer_(new QLabel(this)),
      bar_(new ScaleBar(this)),
      differenceBar_(new ScaleBar(this)) {
    buildBody();
    for (int i = 0; i < 4; ++i) {
        QPushButton& button = views_->button(i);
        button.setToolTip(tr("Show %1 (%2)").arg(button.text()).arg(i + 1));
        button.setAccessibleName(tr("Show %1").arg(button.text()));
    }
    views_->allowShrinking();
    addToHead(views_);
    connect(views_, &Segments::chosen, this, [this](int index) { setView(HeadView(index)); });
    foot()->addWidget(bar_);
    foot()->addWidget(differenceBar_);
    foot()->addStretch();
    setPlaceholder(tr("No head to show"), {});
    choices_.add(
        QStringLiteral("inspect/head_view"), [this] { return int(view_); },
        [this](const QVariant& stored) { setView(HeadView(std::clamp(stored.toInt(), 0, 3))); });
    connect(&pair_, &InspectedPair::changed, this, &HeadPanel::take);
    connect(&pair_, &InspectedPair::headChanged, this, &HeadPanel::take);
}

HeadPanel::Pane HeadPanel::makePane(const QString& title, const QString& name) {
    const Pane pane{new MapView(this), new ElidedLabel(title, this), new QWidget(this)};
    pane.map->setAccessibleName(name);
    pane.title->setFont(strongFont(Type::Caption));
    pane.title->setContentsMargins(px(8), 0, px(4), 0);
    QVBoxLayout* column = makeColumn(pane.box);
    column->addWidget(pane.title);
    column->addWidget(pane.map, 1);
    connect(pane.map, &MapView::currentChanged, this, [this](std::optional<QPoint> cell) { followRow(cell ? cell->y() : -1); });
    return pane;
}

void HeadPanel::buildBody() {
    auto* body = new QWidget(this);
    QVBoxLayout* column = makeColumn(body);
    column->setSpacing(px(4));
    auto* both = new QHBoxLayout;
    both->setSpacing(px(4));
    both->addWidget(a_.box, 1);
    both->addWidget(b_.box, 1);
    column->addLayout(both, 1);
    column->addWidget(difference_.box, 1);
    for (QLabel* label : {whyDiffer_, words_}) {
        label->setWordWrap(true);
        label->setMargin(px(8));
        label->setFont(typeFont(Type::Caption));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    whyDiffer_->setForegroundRole(QPalette::PlaceholderText);
    setBody(body, {a_.map, b_.map, difference_.map});
}

void HeadPanel::take() {
    const MapFamily family = pair_.family();
    const auto b = pair_.b().detail() ? pair_.b().mapsOf(family) : nullptr;
    Shown now{pair_.a().mapsOf(family),
              b,
              family,
              pair_.shownHead(),
              pair_.mapsLabel(pair_.a()),
              b ? pair_.mapsLabel(pair_.b()) : QString(),
              pair_.whyHeadsDiffer()};
    if (now == shown_) return;
    shown_ = std::move(now);
    show();
}

const storage::MapRecord* HeadPanel::Shown::map(const SentenceMaps* maps) const {
    const auto* found = maps ? maps->find(family, head.path.toStdString()) : nullptr;
    return found && head.number < found->heads ? found : nullptr;
}

const HeadCell* HeadPanel::Shown::cell(const SentenceMaps* maps) const {
    return maps ? maps->cell(family, head.path.toStdString(), head.number) : nullptr;
}

void HeadPanel::setView(HeadView view) {
    if (view_ == view) return;
    view_ = view;
    views_->setCurrent(int(view));
    show();
}

void HeadPanel::followRow(int row) {
    row_ = row;
    for (MapView* map : {a_.map, b_.map, difference_.map}) {
        const QSignalBlocker blocker(map);
        map->setCurrent(row < 0 || row >= map->data().rows ? std::nullopt : std::optional(QPoint(-1, row)));
    }
    showText();
}

void HeadPanel::show() {
    const auto *a = shown_.map(shown_.a.get()), *b = shown_.map(shown_.b.get());
    const bool canSubtract = a && b && shown_.whyHeadsDiffer.isEmpty();
    for (const HeadView view : {HeadView::B, HeadView::Both}) views_->button(int(view)).setEnabled(bool(shown_.b));
    views_->button(int(HeadView::Difference)).setEnabled(canSubtract);
    whyDiffer_->setText(shown_.b ? shown_.whyHeadsDiffer : QString());
    whyDiffer_->setVisible(!whyDiffer_->text().isEmpty());
    HeadView view = view_;
    if (!shown_.b) view = HeadView::A;
    if (view == HeadView::Difference && !canSubtract) view = HeadView::Both;
    const bool showsA = view != HeadView::B, showsB = view != HeadView::A;
    differenceText_.clear();
    if (!(showsA && a) && !(showsB && b)) {
        setPlaceholder(tr("No head to show"), a || b ? tr("This run has no such head.") : tr("Choose a head in the grid."));
        return setNote({});
    }
    setPlaceholder({}, {});
    setNote(QStringLiteral("%1 %2").arg(shown_.head.path).arg(shown_.head.number));
    const HeadGridData* gridA = a ? shown_.a->grid(shown_.family).get() : nullptr;
    const HeadGridData* gridB = b ? shown_.b->grid(shown_.family).get() : nullptr;
    const MapScale scale = gridA ? commonScale(*gridA, gridB) : gridB->scale;
    bar_->setScale(scale);
    for (const auto& [pane, map, letter, name, isShown] :
         {std::tuple(a_, a, tr("A"), shown_.nameA, showsA), std::tuple(b_, b, tr("B"), shown_.nameB, showsB)}) {
        pane.map->setData(map ? headOf(*map, shown_.head.number) : MapData(), scale);
        pane.title->setText(name.isEmpty() ? letter : QStringLiteral("%1: %2").arg(letter, name));
        pane.title->setToolTip(pane.title->text());
        pane.box->setVisible(isShown && map);
    }
    difference_.box->setVisible(view == HeadView::Difference);
    differenceBar_->setVisible(view == HeadView::Difference);
    if (view == HeadView::Difference) showDifference(*a, *b);
    followRow(row_);
}

void HeadPanel::showText() {
    QStringList lines;
    if (!differenceText_.isEmpty()) lines << differenceText_;
    const HeadCell *a = shown_.cell(shown_.a.get()), *b = shown_.cell(shown_.b.get());
    const bool hasA = a && std::isfinite(a->entropy) && a_.box->isVisibleTo(this);
    const bool hasB = b && std::isfinite(b->entropy) && b_.box->isVisibleTo(this);
    if (hasA && hasB)
        lines << tr("Mean entropy: A %1, B %2 bits").arg(number(a->entropy, 2), number(b->entropy, 2));
    else if (hasA || hasB)
        lines << tr("Mean entropy: %1 of %2 bits")
                     .arg(number((hasA ? a : b)->entropy, 2), number((hasA ? a : b)->mostEntropy, 2));
    for (const auto& [pane, name] : {std::pair(a_, tr("A")), std::pair(b_, tr("B"))}) {
        const MapData& map = pane.map->data();
        if (row_ >= 0 && row_ < map.rows && pane.box->isVisibleTo(this))
            lines << tr("%1, %2 attends most to %3")
                         .arg(name, map.rowLabels.value(row_, QString::number(row_)), strongest(map, row_));
    }
    words_->setText(lines.join(QLatin1Char('\n')));
    words_->setVisible(!lines.isEmpty());
}

void HeadPanel::showDifference(const storage::MapRecord& a, const storage::MapRecord& b) {
    const auto found = headDifference(headMapsOf(a), headMapsOf(b), shown_.head.number);
    if (!found) {
        difference_.box->hide();
        differenceText_ = tr("A and B read sentences of different lengths.");
        return;
    }
    MapData made = a_.map->data();
    if (made.masked.empty()) made.masked = b_.map->data().masked;
    made.values = found->values;
    const MapScale scale = MapScale::symmetric(std::max(std::abs(found->largest), 1e-6));
    difference_.map->setData(made, scale);
    differenceBar_->setScale(scale);
    const QString at =
        made.rowLabels.value(int(found->row)) + QStringLiteral(", ") + made.columnLabels.value(int(found->column));
    differenceText_ =
        tr("Largest %1 at %2; mean |A − B| %3").arg(signedNumber(found->largest, 3), at, number(found->meanAbsolute, 3));
}

}  // namespace heddle::ui
