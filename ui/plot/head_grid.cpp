// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/head_grid.h"

#include "ui/plot/head_grid_area.h"
#include "ui/text/number.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace heddle::ui {

int HeadGridData::columns() const {
    std::size_t most = 0;
    for (const HeadRow& row : rows) most = std::max(most, row.heads.size());
    return int(most);
}

QImage headPicture(const MapData& map, const MapScale& scale) {
    const int side = std::max(map.rows, map.columns);
    const int block = std::max(1, (side + kHeadPixels - 1) / kHeadPixels);
    return codedPicture(block == 1 ? map : averaged(map, QSize(block, block)), scale);
}

HeadGrid::HeadGrid(QWidget* parent) : PlotView(parent), area_(new HeadGridArea(this)) {
    setChart(area_);
    setMinimumSize(area_->minimumSizeHint());
}

void HeadGrid::setData(std::shared_ptr<const HeadGridData> data) {
    data_ = std::move(data);
    setCurrent(current_);
    area_->rebuild();
    tableChanged();
}

void HeadGrid::setMuted(const QStringList& heads) {
    if (muted_ == heads) return;
    muted_ = heads;
    area_->viewport()->update();
}

void HeadGrid::setCosts(const QHash<QString, double>& costs) {
    costs_ = costs;
    area_->viewport()->update();
    tableChanged();
}

std::optional<HeadPlace> HeadGrid::current() const {
    if (data_->rows.empty()) return std::nullopt;
    return current_;
}

void HeadGrid::setCurrent(HeadPlace place) {
    if (data_->rows.empty()) {
        current_ = place;
        return;
    }
    place.row = std::clamp(place.row, 0, int(data_->rows.size()) - 1);
    place.head = std::clamp(place.head, 0, std::max(0, int(data_->rows[std::size_t(place.row)].heads.size()) - 1));
    const bool isOther = !(place == current_);
    current_ = place;
    area_->viewport()->update();
    setAccessibleDescription(accessibleText(place));
    if (!isOther) return;
    area_->reveal(place);
    QAccessibleEvent said(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&said);
    Q_EMIT currentChanged(place);
}

std::optional<HeadPlace> HeadGrid::placeAt(QPoint point) const { return area_->placeAt(point); }

QRect HeadGrid::rectOf(HeadPlace place) const { return area_->rectOf(place); }

QString HeadGrid::accessibleText(HeadPlace place) const {
    const HeadRow& row = data_->rows[std::size_t(place.row)];
    const HeadCell& head = row.heads[std::size_t(place.head)];
    QString words = tr("%1, head %2").arg(row.path).arg(place.head);
    if (std::isfinite(head.entropy))
        words = tr("%1, entropy %2 of %3 bits").arg(words, number(head.entropy, 2), number(head.mostEntropy, 2));
    if (const auto cost = costOf(place)) words = tr("%1, muting it changes the loss by %2").arg(words, signedNumber(*cost, 4));
    return words;
}

QString HeadGrid::keyOf(HeadPlace place) const {
    return data_->rows[std::size_t(place.row)].sublayer + QLatin1Char(':') + QString::number(place.head);
}

std::optional<double> HeadGrid::costOf(HeadPlace place) const {
    const auto found = costs_.find(keyOf(place));
    return found == costs_.end() ? std::nullopt : std::optional(*found);
}

PlotTable HeadGrid::table() const {
    PlotTable table;
    table.columns << tr("module") << tr("head") << tr("mean entropy, bits") << tr("largest possible, bits");
    if (!costs_.isEmpty()) table.columns << tr("change of the loss when muted");
    table.textColumns = 2;
    for (int row = 0; row < int(data_->rows.size()); ++row) {
        const HeadRow& heads = data_->rows[std::size_t(row)];
        for (int head = 0; head < int(heads.heads.size()); ++head) {
            const HeadCell& cell = heads.heads[std::size_t(head)];
            const bool isKnown = std::isfinite(cell.entropy);
            QStringList cells{heads.path, count(head), isKnown ? number(cell.entropy, 4) : QString(),
                              isKnown ? number(cell.mostEntropy, 4) : QString()};
            const auto cost = costOf({row, head});
            if (!costs_.isEmpty()) cells << (cost ? signedNumber(*cost, 4) : QString());
            table.rows << cells;
        }
    }
    return table;
}

void HeadGrid::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    area_->paintOn(painter, size, 0);
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
    HeadPlace to = current_;
    switch (event->key()) {
    case Qt::Key_Left: --to.head; break;
    case Qt::Key_Right: ++to.head; break;
    case Qt::Key_Up:
    case Qt::Key_PageUp: --to.row; break;
    case Qt::Key_Down:
    case Qt::Key_PageDown: ++to.row; break;
    default: PlotView::keyPressEvent(event); return;
    }
    if (event->modifiers() != Qt::NoModifier || mode() == PlotMode::Table) return PlotView::keyPressEvent(event);
    setCurrent(to);
}

}  // namespace heddle::ui
