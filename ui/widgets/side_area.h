// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace heddle::ui {

/// Scrolls downwards only, so it is never narrower than what it holds: what that needs depends on the font and the language.
class SideArea : public QScrollArea {
public:
    /// Nor narrower than `leastWidth` (scaled pixels).
    explicit SideArea(int leastWidth, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int leastWidth_;
};

}  // namespace heddle::ui
