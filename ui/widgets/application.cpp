// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/application.h"

#include <QDebug>

namespace heddle::ui {

bool Application::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception& error) {
        report(problemOf(error));
    } catch (...) {
        report({tr("Unknown error"), {}, {}, {}});
    }
    return false;
}

void Application::report(const Problem& problem) {
    if (reporting_) return;
    reporting_ = true;
    try {
        qWarning().noquote() << "heddle-studio:" << wordsOf(problem);
        Q_EMIT failed(problem);
    } catch (const std::exception&) {  // the report may lack memory, too
    }
    reporting_ = false;
}

}  // namespace heddle::ui
