// SPDX-License-Identifier: GPL-3.0-or-later
// What a curve plot draws, as plain data.
#pragma once

#include "ui/plot/series.h"
#include "ui/theme/tokens.h"

#include <QString>

namespace heddle::ui {

/// The meaning of the dash. Own: the run (the dash of its style). Solid and Valid: train and valid of the same run in one
/// chart, where colour, markers and label identify the run.
enum class LineRule { Own, Solid, Valid };
/// Normal 1.8 px; Baseline 2.4 px; Seed: one of a group, 1 px at 45 %; Muted: the same in grey, one of too many to distinguish.
enum class LineWeight { Normal, Baseline, Seed, Muted };

struct Curve {
    int id = 0;     ///< stable; identifies the curve in updates
    QString label;  ///< "eau-full-k128 s4, train"
    int order = 0;  ///< of the variant: Theme::runAt(order)
    LineRule rule = LineRule::Own;
    LineWeight weight = LineWeight::Normal;
    bool inLegend = true;   ///< the legend has one entry for a group: its mean if it has one, else its first run
    bool smoothed = false;  ///< draw the smoothed series, the stored rows faint behind it
    std::shared_ptr<const Series> rows;
    std::shared_ptr<const Series> low, high;  ///< a band around the line, e.g. the range of the seeds; both or none
};

/// Resumed and equal, an intervention, a failure, rows that were thinned.
enum class EventKind { Resumed, Intervention, Failure, Gap };
/// The colour in every plot and legend.
Token tokenOf(EventKind kind);

struct CurveEvent {
    Step step = 0;
    EventKind kind = EventKind::Resumed;
    QString text;
    bool operator==(const CurveEvent&) const = default;
};

enum class AxisScale { Linear, Log };
/// Robust: the line may leave the picture in 4 % of the steps, where it is highest (the first steps of a loss). Full:
/// everything.
enum class ValueFit { Robust, Full };

/// Maps steps to the numbers of the x-axis: linear between ascending knots, with the slope of the outer segments beyond them.
/// Without knots the axis counts steps.
class StepAxis {
public:
    struct Knot {
        double step, x;
    };
    StepAxis() = default;
    /// At least two knots, both members strictly ascending (std::invalid_argument).
    StepAxis(QString title, std::vector<Knot> knots);

    double toX(double step) const;
    double toStep(double x) const;
    const QString& title() const { return title_; }
    bool countsSteps() const { return knots_.empty(); }

private:
    QString title_;
    std::vector<Knot> knots_;
};

}  // namespace heddle::ui
