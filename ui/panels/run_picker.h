// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/data/run_database.h"

#include <QComboBox>

namespace heddle::ui {

class Studio;

/// A box to choose a run from: a line says its label and its state, in front the colour of its group. Typed words search in it.
class RunPicker : public QComboBox {
    Q_OBJECT

public:
    RunPicker(Studio& studio, const QString& name, QWidget* parent);

    /// Sets the runs to choose from and the chosen one, empty for none. `none` is the text of a first line that is no run;
    /// empty: there is none.
    void setRuns(const std::vector<Run>& runs, const RunRef& chosen, const QString& none = {});

Q_SIGNALS:
    /// The user chose a run, or the line that is none.
    void runChosen(const heddle::ui::RunRef& run);

private:
    struct Line {
        QString key, text;
        int order = -1;
        bool operator==(const Line&) const = default;
    };
    std::vector<Line> linesOf(const std::vector<Run>& runs) const;

    Studio& studio_;
    std::vector<Line> lines_;  ///< as they stand in the box: equal ones leave an open list and a search alone
};

}  // namespace heddle::ui
