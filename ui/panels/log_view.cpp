// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_view.h"

#include "ui/theme/type.h"

#include <QHeaderView>

namespace heddle::ui {

LogView::LogView(QWidget* parent) : QTreeView(parent) {
    setAccessibleName(tr("Log"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setHeaderHidden(true);
    setIndentation(0);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    header()->setResizeContentsPrecision(0);  // by the lines that are seen: a new one does not measure a thousand
    // Always there: one that comes and goes changes which lines are seen, and with them the width that decides whether it is
    // needed.
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setMinimumHeight(px(60));
}

}  // namespace heddle::ui
