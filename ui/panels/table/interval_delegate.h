// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with a difference and its interval over the noise floor, and the header with their scale.
#pragma once

#include "ui/widgets/mark_delegate.h"

#include <QHeaderView>

namespace heddle::ui {

/// Of cells that have an IntervalGlyph (RunTableModel::GlyphRole); the others are drawn as MarkDelegate does.
class IntervalDelegate : public MarkDelegate {
    Q_OBJECT

public:
    using MarkDelegate::MarkDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A header that draws the scale of the column whose header data have an IntervalGlyph (RunTableModel::GlyphRole).
class IntervalHeader : public QHeaderView {
    Q_OBJECT

public:
    explicit IntervalHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

}  // namespace heddle::ui
