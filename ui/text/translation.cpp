// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/translation.h"

#include <QCoreApplication>
#include <QTranslator>

namespace heddle::ui {

/// English whatever the locale: there is no other language yet, and without it numbers would stand before "run(s)".
void installTranslation(QCoreApplication& application) {
    auto* words = new QTranslator(&application);
    const bool loaded = words->load(QStringLiteral(":/translations/heddle_en.qm"));
    Q_ASSERT(loaded);
    if (loaded) QCoreApplication::installTranslator(words);
}

}  // namespace heddle::ui
