// SPDX-License-Identifier: GPL-3.0-or-later
// Delivers SIGTERM, SIGINT and SIGHUP to the event loop.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace heddle::studio {

/// The first such signal during its lifetime emits received(); a second one ends the process. SIGHUP never counts as the second
/// signal, and neither does the first signal after it. An ignored SIGHUP (nohup) stays ignored. One object per process.
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
