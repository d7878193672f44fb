// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace heddle::ui {

/// A scroll area without a horizontal scroll bar. It is never narrower than its contents, whose width depends on the font and
/// the language.
class SideArea : public QScrollArea {
public:
    /// The area is also never narrower than `leastWidth`, in pixels of the screen (px()).
    explicit SideArea(int leastWidth, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int leastWidth_;
};

}  // namespace heddle::ui
