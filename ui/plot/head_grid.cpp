// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/head_grid.h"

#include "ui/text/number.h"

#include <QAbstractScrollArea>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

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

HeadGrid::HeadGrid(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    setMinimumSize(canvas().minimumSizeHint());
}

void HeadGrid::setData(std::shared_ptr<const HeadGridData> data) {
    data_ = std::move(data);
    setCurrent(current_);
    rebuild();
    tableChanged();
}

void HeadGrid::setMuted(const QStringList& heads) {
    if (muted_ == heads) return;
    muted_ = heads;
    redraw();
}

void HeadGrid::setCosts(const QHash<QString, double>& costs) {
    costs_ = costs;
    redraw();
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
    redraw();
    if (!isOther) return setAccessibleDescription(accessibleText(place));
    reveal(place);
    describeChoice(accessibleText(place));
    Q_EMIT currentChanged(place);
}

QString HeadGrid::accessibleText(HeadPlace place) const {
    const HeadRow& row = data_->rows[std::size_t(place.row)];
    const HeadCell& head = row.heads[std::size_t(place.head)];
    //: The path of a module and the number of a head.
    QString text = tr("%1, head %2").arg(row.path).arg(place.head);
    if (std::isfinite(head.entropy))
        text = tr("%1, entropy %2 of %3 bits").arg(text, number(head.entropy, 2), number(head.mostEntropy, 2));
    if (const auto cost = costOf(place)) text = tr("%1, muting it changes the loss by %2").arg(text, signedNumber(*cost, 4));
    if (const QString labels = labels_.value(keyOf(place)); !labels.isEmpty()) text = tr("%1; labels: %2").arg(text, labels);
    return text;
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
    table.columns << tr("module") << tr("head") << tr("mean entropy, bits") << tr("maximum entropy, bits");
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
    paint(painter, size, 0);
}

bool HeadGrid::chartEvent(QEvent& event) {
    const auto hover = [this](std::optional<HeadPlace> place) {
        if (std::exchange(hovered_, place) != place) Q_EMIT hovered(place);
    };
    switch (event.type()) {
    case QEvent::Resize: rebuild(); return false;
    case QEvent::Leave: hover(std::nullopt); return false;
    case QEvent::MouseMove: hover(placeAt(static_cast<QMouseEvent&>(event).position().toPoint())); return true;
    case QEvent::MouseButtonPress:
        setFocus(Qt::MouseFocusReason);
        if (const auto place = placeAt(static_cast<QMouseEvent&>(event).position().toPoint())) setCurrent(*place);
        return true;
    case QEvent::ToolTip: {
        const auto& help = static_cast<QHelpEvent&>(event);
        if (const auto place = placeAt(help.pos()))
            QToolTip::showText(help.globalPos(), accessibleText(*place), canvas().viewport(), rectOf(*place));
        else
            QToolTip::hideText();
        return true;
    }
    default: return false;
    }
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
    const bool isPlain = event->modifiers() == Qt::NoModifier;
    const int page = !isPlain ? 0 : event->key() == Qt::Key_PageUp ? -1 : event->key() == Qt::Key_PageDown ? 1 : 0;
    const QPoint step = stepOf(*event) + QPoint(0, page);
    if (step.isNull() || mode() == PlotMode::Table) return PlotView::keyPressEvent(event);
    setCurrent({current_.row + step.y(), current_.head + step.x()});
}

}  // namespace heddle::ui
