// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/curves_model.h"

#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QMouseEvent>
#include <QPainter>

namespace heddle::ui::watch {

void CurvesModel::setRuns(const std::vector<DrawnRun>& runs) {
    std::vector<DrawnRun> now, hidden;
    for (const DrawnRun& run : runs) (run.hidden ? hidden : now).push_back(run);
    if (!hidden.empty()) {
        DrawnRun header;
        header.label = tr("Hidden  %1").arg(hidden.size());
        header.hidden = true;
        now.push_back(header);
        now.insert(now.end(), hidden.begin(), hidden.end());
    }
    bool same = now.size() == rows_.size();
    for (std::size_t i = 0; same && i < now.size(); ++i) same = now[i].run == rows_[i].run && now[i].hidden == rows_[i].hidden;
    if (!same) {
        beginResetModel();
        rows_ = std::move(now);
        return endResetModel();
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] == rows_[i]) continue;
        rows_[i] = now[i];
        Q_EMIT dataChanged(index(int(i)), index(int(i)));
    }
}

int CurvesModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

QVariant CurvesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const DrawnRun& row = rows_[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return row.label;
    case Qt::CheckStateRole: return row.run.empty() ? QVariant() : QVariant(row.hidden ? Qt::Unchecked : Qt::Checked);
    case Qt::AccessibleTextRole:
        if (row.run.empty()) return row.label;
        return tr("%1, %2, valid loss %3").arg(row.label, row.hidden ? tr("hidden") : tr("shown"), number(row.value, 3));
    case RunRole: return row.run.key();
    case OrderRole: return row.order;
    case ValueRole: return number(row.value, 3);
    case HiddenRole: return row.hidden;
    case HeaderRole: return row.run.empty();
    default: return {};
    }
}

bool CurvesModel::setData(const QModelIndex& index, const QVariant&, int role) {
    if (!index.isValid() || index.row() >= rowCount() || role != Qt::CheckStateRole) return false;
    Q_EMIT eyeClicked(rows_[std::size_t(index.row())].run);  // the page answers with setRuns()
    return true;
}

Qt::ItemFlags CurvesModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || index.row() >= rowCount()) return Qt::NoItemFlags;
    if (rows_[std::size_t(index.row())].run.empty()) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable;
}

QSize CurvesDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const { return {px(120), px(24)}; }

void CurvesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QRect row = option.rect;
    const bool header = index.data(CurvesModel::HeaderRole).toBool(), hidden = index.data(CurvesModel::HiddenRole).toBool();
    const bool chosen = option.state & QStyle::State_Selected, over = option.state & QStyle::State_MouseOver;
    painter->fillRect(row, Theme::color(header ? Token::Chrome : chosen ? Token::Sel : over ? Token::Hover : Token::Base));
    const QColor text = Theme::color(chosen ? Token::Onsel : hidden ? Token::Text2 : Token::Text);
    painter->setPen(text);
    const auto icon = [&](Icon id, int x) {
        painter->drawPixmap(x, row.top() + (row.height() - px(16)) / 2,
                            iconPixmap(id, Theme::color(Token::Text2), px(16), painter->device()->devicePixelRatioF()));
    };
    if (header) {
        painter->setFont(strongFont(Type::Caption));
        painter->drawText(row.adjusted(px(8), 0, -px(8), 0), Qt::AlignVCenter, index.data().toString());
        return;
    }
    icon(hidden ? Icon::EyeOff : Icon::Eye, row.left() + px(8));
    const int order = index.data(CurvesModel::OrderRole).toInt();
    RunStyle style = Theme::runAt(order);
    style.dash = {};  // here the dash tells train from valid, not runs
    if (hidden) style.color = Theme::color(Token::Disabled);
    paintLineSample(*painter, QRectF(row.left() + px(30), row.top(), px(24), row.height()), style,
                    hidden ? SampleMarker::None : SampleMarker::Middle);
    const QString value = index.data(CurvesModel::ValueRole).toString();
    const QFont figures = numberFont(Type::Body);
    const int valueWidth = textWidth(value, figures);
    painter->setFont(figures);
    painter->setPen(text);
    painter->drawText(row.adjusted(0, 0, -px(8), 0), Qt::AlignVCenter | Qt::AlignRight, value);
    int right = row.right() - px(14) - valueWidth;
    if (order == 0) {
        icon(Icon::Pin, right - px(16));
        right -= px(20);
    }
    painter->setFont(typeFont(Type::Body));
    const QRect label(row.left() + px(60), row.top(), right - row.left() - px(60), row.height());
    painter->drawText(label, Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, label.width()));
}

bool CurvesDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) {
    if (index.data(CurvesModel::HeaderRole).toBool() || event->type() != QEvent::MouseButtonRelease) return false;
    const QPoint place = static_cast<QMouseEvent*>(event)->pos();
    if (place.x() > option.rect.left() + px(28)) return false;
    return model->setData(index, {}, Qt::CheckStateRole);
}

}  // namespace heddle::ui::watch
