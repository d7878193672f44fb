// SPDX-License-Identifier: GPL-3.0-or-later
// The icons of the project in the colours of the theme.
#pragma once

#include "ui/theme/tokens.h"

#include <QIcon>

namespace heddle::ui {

/// The colours of an icon in the modes of a widget. `on` is for a checked control.
struct IconColours {
    Token normal = Token::Text;
    Token hover = Token::Text;
    Token selected = Token::Onsel;
    Token disabled = Token::Disabled;
    Token on = Token::Text;
};

/// Sharp at any size and device pixel ratio. It has the colours of the current theme without being set again.
QIcon themeIcon(Icon id, const IconColours& colours = {});
/// The icon in one colour in every mode except disabled.
QIcon themeIcon(Icon id, Token token);

/// The picture itself, `side` logical pixels square.
QPixmap iconPixmap(Icon id, const QColor& color, int side, double devicePixelRatio);

}  // namespace heddle::ui
