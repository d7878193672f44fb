// SPDX-License-Identifier: GPL-3.0-or-later
// The program's QApplication: an exception that an event's handler did not catch ends that event and is reported; it does not
// end the program, in which a training may be under way.
#pragma once

#include "ui/text/problem.h"

#include <QApplication>

namespace heddle::ui {

class Application : public QApplication {
    Q_OBJECT

public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    /// An event handler threw this problem; its event was not processed further.
    void failed(const heddle::ui::Problem& problem);

private:
    void report(const Problem& problem);
    bool reporting_ = false;  ///< exceptions of the report itself are not reported
};

}  // namespace heddle::ui
