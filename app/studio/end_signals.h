// SPDX-License-Identifier: GPL-3.0-or-later
// Delivers SIGTERM, SIGINT and SIGHUP to the event loop.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace heddle::studio {

/// During its lifetime the first such signal emits received(); a second one ends the process at once. SIGHUP never counts as
/// the second signal, and neither does the first signal after it; an ignored SIGHUP (nohup) stays ignored. One object per
/// process.
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
