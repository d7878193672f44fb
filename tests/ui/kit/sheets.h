// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/tokens.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

namespace heddle::ui::test {

struct Sheet {
    QString name;
    std::function<std::unique_ptr<QWidget>()> make;
};
std::vector<Sheet> sheets();

std::unique_ptr<QWidget> controlSheet();
std::unique_ptr<QWidget> colourSheet();
std::unique_ptr<QWidget> plotSheet();
std::unique_ptr<QWidget> comparePlotSheet();

/// Fills the widget with a colour of the theme as it is now.
void paintGround(QWidget& widget, Token ground);

/// Lets layouts, smoothing and queued replots come to rest.
void settle(QWidget& sheet);

}  // namespace heddle::ui::test
