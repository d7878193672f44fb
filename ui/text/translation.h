// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the program in the user's language.
#pragma once

class QCoreApplication;

namespace heddle::ui {

/// Installs the translation that is built in, for the life of `application`. Before the first widget is made.
void installTranslation(QCoreApplication& application);

}  // namespace heddle::ui
