// SPDX-License-Identifier: GPL-3.0-or-later
// Loss or accuracy (or a rate) of the drawn runs over steps.
#pragma once

#include "ui/panels/panel.h"
#include "ui/plot/curve_plot.h"

#include <map>

namespace heddle::ui {

/// One line of a card. `key` and `generation` name the series: as long as both stay, rows were only added.
struct Line {
    std::string key;
    int generation = 0;
    Curve curve;  ///< its id is given by the card
};

class CurvePanel : public Panel {
    Q_OBJECT

public:
    CurvePanel(const QString& title, QWidget* parent);

    CurvePlot& plot() { return *plot_; }
    /// Draws these lines; where only rows were added, nothing else is touched.
    void setLines(const QList<Line>& lines);

private:
    CurvePlot* plot_;
    QList<Line> lines_;
    std::map<std::pair<std::string, int>, int> ids_;
};

/// What the x-axis counts.
enum class XAxis { Steps, Epoch, Tokens, Time };

/// What one run has recorded that an axis needs.
struct Pace {
    std::int64_t stepsPerEpoch = 0;
    std::shared_ptr<const Series> stepSeconds, tokensPerSecond;
    Step last = 0;
    QString run;  ///< its label
};

/// The axis, or nothing where the run has not recorded what it needs.
std::optional<StepAxis> axisFor(XAxis kind, const Pace& pace);

}  // namespace heddle::ui
