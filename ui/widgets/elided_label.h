// SPDX-License-Identifier: GPL-3.0-or-later
// A label that gives way: what does not fit ends in "…", the whole text is the tooltip.
#pragma once

#include <QLabel>

namespace heddle::ui {

class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace heddle::ui
