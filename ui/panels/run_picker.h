// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/data/run_ref.h"

#include <QComboBox>

#include <vector>

namespace heddle::ui {

class Studio;

/// A box to choose one of the runs of all databases. A line has the colour of the run's group, its label and its state. Typed
/// text searches the lines. They are updated with the databases while the box is visible.
class RunPicker : public QComboBox {
    Q_OBJECT

public:
    /// `none` is the text of the first line, which chooses no run; empty: no such line.
    RunPicker(Studio& studio, const QString& name, QWidget* parent, const QString& none = {});

    /// Shows the chosen run, empty for none.
    void setChosen(const RunRef& run);

Q_SIGNALS:
    /// The user chose a run, or no run.
    void runChosen(const heddle::ui::RunRef& run);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Line {
        QString key, text;
        int order = -1;
        bool operator==(const Line&) const = default;
    };
    std::vector<Line> lines() const;
    void fill();

    Studio& studio_;
    QString none_;
    RunRef chosen_;
    std::vector<Line> lines_;  ///< in the box; equal lines do not disturb an open list or a search
};

}  // namespace heddle::ui
