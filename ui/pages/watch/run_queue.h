// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that matter now, in a list: a click carries out a verb, dragging or Alt+Up and Alt+Down changes the order.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/threads/query.h"

#include <QElapsedTimer>
#include <QListView>

class QAction;

namespace heddle::ui::watch {

/// Follows the databases while it is visible.
class RunQueue : public QListView {
    Q_OBJECT

public:
    RunQueue(Studio& studio, QWidget* parent);

    /// Move the chosen run.
    QAction* earlier() const { return earlier_; }
    QAction* later() const { return later_; }

Q_SIGNALS:
    void runChosen(const heddle::ui::RunRef& run);

protected:
    void showEvent(QShowEvent* event) override;

private:
    using Rates = std::map<RunRef, double>;
    QAction* moveAction(const QString& words, Qt::Key key, int by);
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
    ToldOnce told_;
};

}  // namespace heddle::ui::watch
