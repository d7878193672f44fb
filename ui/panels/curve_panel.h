// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of runs over steps, read from recorded series and evaluations and shown in a plot.
#pragma once

#include "engine/analysis/run_group.h"
#include "ui/data/series_store.h"
#include "ui/panels/panel.h"
#include "ui/plot/curve_plot.h"

#include <map>
#include <set>

namespace heddle::ui {

/// A run to draw. Runs of one group share its order.
struct CurveRun {
    RunRef run;
    std::string group = {};
    QString label, groupLabel = {};
    int order = 1;            ///< Theme::runAt; 0 is the baseline
    GroupMember member = {};  ///< decides whether it counts in the group's mean
    bool operator==(const CurveRun&) const = default;
};

/// What is drawn of each run.
struct CurveKind {
    SeriesId::Source source = SeriesId::Source::Rows;
    std::string name = {}, path = {};
    double factor = 1;
    LineRule rule = LineRule::Own;
    QString label = QStringLiteral("%1");  ///< %1 is the label of the run: "%1, train"
    bool operator==(const CurveKind&) const = default;
};

struct CurveSubject {
    std::vector<CurveRun> runs;
    std::vector<CurveKind> kinds;
    /// OfGroups: of one kind; single seeds are drawn thin below the mean and the range of their group.
    enum class Means { None, OfGroups };
    Means means = Means::None;
    bool operator==(const CurveSubject&) const = default;
};

struct CurveSet {
    QList<Curve> curves;       ///< the id of a run's curve is its place among the runs, that of a mean is higher
    int means = 0;             ///< curves that are a mean of several seeds
    std::int64_t missing = 0;  ///< runs without rows
};
/// Draws single seeds thin below the mean and range of their group if two or more of its seeds have values at the same steps.
/// Which runs count is decided by countedRuns() among those that have values. `rows`: of each run.
CurveSet curvesOf(const std::vector<CurveRun>& runs, const std::vector<std::shared_ptr<const Series>>& rows);

class CurvePanel : public Panel {
    Q_OBJECT

public:
    CurvePanel(const QString& title, Databases& databases, QWidget* parent);

    CurvePlot& plot() { return *plot_; }
    using Panel::setPlaceholder;
    /// Reads the rows of `subject` and draws them when they are read. Returns whether it differs from the subject before.
    bool setCurves(const CurveSubject& subject);
    /// The rows of a series that is drawn. Never null.
    std::shared_ptr<const Series> rows(const SeriesId& series) const { return series_.rows(series); }
    /// Reads new rows.
    void refresh() { series_.refresh(); }
    /// The orders that keep their colour; the others are grey and drawn below. Without a choice all keep it.
    void setLit(const std::optional<std::set<int>>& orders);
    /// The curves of the plot, grey ones first, and what is left out.
    const CurveSet& drawn() const { return drawn_; }

Q_SIGNALS:
    void drawnChanged();

private:
    SeriesId seriesAt(std::size_t place) const;
    CurveSet curves() const;
    void draw();

    CurvePlot* plot_;
    SeriesStore series_;
    CurveSubject subject_;
    std::optional<std::set<int>> lit_;
    CurveSet drawn_;
    std::map<std::pair<SeriesId, int>, int> ids_;  ///< of the curves in the plot, by series and generation
    int lastId_ = 0;
    bool isStale_ = false;  ///< rows or a subject are not drawn yet
};

}  // namespace heddle::ui
