// SPDX-License-Identifier: GPL-3.0-or-later
// What a run uses of its machine: one of the recorded series (engine/run/system_series.h), which the user chooses.
#pragma once

#include "ui/panels/curve_panel.h"

#include <optional>

class QComboBox;

namespace heddle::ui::watch {

class SystemPanel : public CurvePanel {
    Q_OBJECT

public:
    SystemPanel(Databases& databases, QWidget* parent);

    /// Shows this run, or none.
    void setRun(const std::optional<CurveRun>& run);

private:
    void showSeries();
    void showWhetherEmpty();

    QComboBox* choice_;
    std::optional<CurveRun> run_;
};

}  // namespace heddle::ui::watch
