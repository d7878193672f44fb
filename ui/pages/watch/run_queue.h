// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the queue: a click carries out a verb; dragging, Alt+Up and Alt+Down change the order.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/threads/query.h"

#include <QElapsedTimer>
#include <QListView>

class QAction;

namespace heddle::ui::watch {

/// Updated from the databases while it is visible.
class RunQueue : public QListView {
    Q_OBJECT

public:
    RunQueue(Studio& studio, QWidget* parent);

    /// Move the selected run.
    QAction* earlier() const { return earlier_; }
    QAction* later() const { return later_; }

Q_SIGNALS:
    void runChosen(const heddle::ui::RunRef& run);

protected:
    void showEvent(QShowEvent* event) override;

private:
    using Rates = std::map<RunRef, double>;
    RunRef runAt(const QModelIndex& index) const;
    void refresh();
    void showProgress();
    void readRates();
    void take(int database, Result<Rates> rates);
    void move(const RunRef& run, int by);
    void carryOut(const RunRef& run);

    Studio& studio_;
    QueueModel model_;
    QueueFacts facts_;
    QAction *earlier_, *later_;
    std::map<int, Query<Rates>> reading_;  ///< by database
    QElapsedTimer sinceReading_;
    ReportedProblems reported_;
};

}  // namespace heddle::ui::watch
