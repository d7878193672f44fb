// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM, SIGINT and SIGHUP as an event of the window's loop.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace heddle::studio {

/// While it lives, the first such signal emits received(); a second one ends the process at once. SIGHUP is never a second one,
/// after it one more signal is none either, and where it is ignored (nohup) it stays ignored. One object a process.
class EndSignals : public QObject {
    Q_OBJECT

public:
    explicit EndSignals(QObject* parent = nullptr);
    ~EndSignals() override;

Q_SIGNALS:
    void received();

private:
    QSocketNotifier* notifier_;
};

}  // namespace heddle::studio
