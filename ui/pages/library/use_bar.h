// SPDX-License-Identifier: GPL-3.0-or-later
// The disk use of a database file: one bar, and a line for each kind of record.
#pragma once

#include "storage/database_report.h"

#include <QWidget>

namespace heddle::ui {

class UseBar : public QWidget {
    Q_OBJECT

public:
    explicit UseBar(QWidget* parent = nullptr);

    void setUse(const std::vector<storage::DatabaseReport::Use>& use);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<storage::DatabaseReport::Use> use_;
};

}  // namespace heddle::ui
