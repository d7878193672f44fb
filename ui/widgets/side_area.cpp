// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/side_area.h"

#include "ui/theme/type.h"

#include <QEvent>
#include <QStyle>

#include <algorithm>

namespace heddle::ui {

SideArea::SideArea(int leastWidth, QWidget* parent) : QScrollArea(parent), leastWidth_(leastWidth) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize SideArea::minimumSizeHint() const {
    const int content = widget() ? widget()->minimumSizeHint().width() : 0;
    return {std::max(leastWidth_, content + style()->pixelMetric(QStyle::PM_ScrollBarExtent)), px(120)};
}

bool SideArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace heddle::ui
