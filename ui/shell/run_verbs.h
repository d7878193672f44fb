// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of the current run, enabled as the transition table says.
#pragma once

#include "engine/run/run_state.h"

#include <QObject>

#include <map>

class QAction;

namespace heddle::ui {

class Studio;

class RunVerbs : public QObject {
    Q_OBJECT

public:
    explicit RunVerbs(Studio& studio, QObject* parent = nullptr);

    /// Pause, Resume, Stop, Checkpoint, and a new attempt; they act on Studio::currentRun().
    QList<QAction*> actions() const { return order_; }

private:
    void refresh();

    Studio& studio_;
    std::map<RunVerb, QAction*> byVerb_;
    QList<QAction*> order_;
};

}  // namespace heddle::ui
