// SPDX-License-Identifier: GPL-3.0-or-later
// The log as a list of lines. Long lines are scrolled, not cut off.
#pragma once

#include <QTreeView>

namespace heddle::ui {

class LogView : public QTreeView {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
};

}  // namespace heddle::ui
