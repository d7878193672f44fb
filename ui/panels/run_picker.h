// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/data/run_ref.h"

#include <QComboBox>

#include <vector>

namespace heddle::ui {

class Studio;

/// A box to choose one of the runs of all databases: a line says its label and its state, in front the colour of its group.
/// Typed words search in it. The lines follow the databases while the box is visible.
class RunPicker : public QComboBox {
    Q_OBJECT

public:
    /// `none` is the text of a first line that is no run; empty: there is none.
    RunPicker(Studio& studio, const QString& name, QWidget* parent, const QString& none = {});

    /// Shows the chosen run, empty for none.
    void setChosen(const RunRef& run);

Q_SIGNALS:
    /// The user chose a run, or the line that is none.
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
    std::vector<Line> lines_;  ///< as they stand in the box: equal ones leave an open list and a search alone
};

}  // namespace heddle::ui
