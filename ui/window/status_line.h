// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: the run in training, the queue, the recorder, and the database.
#pragma once

#include "ui/data/databases.h"
#include "ui/theme/tokens.h"
#include "ui/threads/query.h"

#include <QStatusBar>

#include <optional>

namespace heddle::ui {

class Chip;
class StatusItem;
class Studio;

class StatusLine : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusLine(Studio& studio, QWidget* parent = nullptr);

    /// Sets the text on the process that records the current database, and its problem, which may be empty.
    void setRecorder(const QString& words, const QString& problem);

private:
    /// Data on the run in training and the file, from the reader.
    struct Facts {
        RunRef run;
        std::optional<qint64> epochs;
        qint64 gaps = 0, bytes = 0;
        double stepsPerSecond = 0;  ///< over the last 200 steps; 0: not known
        QString problem;            ///< why they could not be read; empty: they were
    };
    static Facts read(storage::RunQuery& query, const std::string& file, Facts known);
    void readFacts();
    void update();
    void showTraining();
    void showRun(const Run& run);
    void showDatabase();
    void showQueue();
    void showRecorder();

    Studio& studio_;
    StatusItem *run_, *queue_, *recorder_, *database_;
    Chip* sample_;
    Query<Facts> query_;
    Facts facts_;
    RunRef shown_;  ///< the run in training that is shown
    QString recorderWords_, recorderProblem_;
};

}  // namespace heddle::ui
