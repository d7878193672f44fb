// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to show a comparison: the table, a scatter plot of two quantities, parallel coordinates, bars, strips of seeds,
// attention and gates of two runs.
#pragma once

#include "ui/data/study_comparer.h"
#include "ui/panels/panel.h"

#include <QStackedWidget>

namespace heddle::ui {

class BarPlot;
class ParallelPlot;
class RunTableView;
class ScatterPlot;
class PairPanel;
class StripPlot;

/// What a view draws.
struct ComparedView {
    const RunTableView& table;
    const StudyComparer& comparer;
    const VariantColours& colours;
};

/// Any two numbers of the runs that the table shows, a point each, with the line through them.
class ScatterPanel : public Panel {
    Q_OBJECT

public:
    ScatterPanel(const ComparedView& view, QWidget* parent);
    void refresh();
    ScatterPlot& plot() const { return *plot_; }

private:
    void fillChoices();

    ComparedView view_;
    ScatterPlot* plot_;
    QComboBox *x_, *y_;
};

/// The numbers that the table shows as columns, an axis each, and its runs as lines; those of selected rows stand out.
class ParallelPanel : public Panel {
    Q_OBJECT

public:
    ParallelPanel(const ComparedView& view, QWidget* parent);
    void refresh();
    ParallelPlot& plot() const { return *plot_; }

private:
    ComparedView view_;
    ParallelPlot* plot_;
};

/// The mean of each group that the table shows, beside the baseline's.
class BarsPanel : public Panel {
    Q_OBJECT

public:
    BarsPanel(const ComparedView& view, QWidget* parent);
    void refresh();
    BarPlot& plot() const { return *plot_; }

private:
    ComparedView view_;
    BarPlot* plot_;
};

/// The value of each seed and the mean of each group that the table shows.
class SeedsPanel : public Panel {
    Q_OBJECT

public:
    SeedsPanel(const ComparedView& view, QWidget* parent);
    void refresh();
    StripPlot& plot() const { return *plot_; }

private:
    ComparedView view_;
    StripPlot* plot_;
};

class CompareViews : public QStackedWidget {
    Q_OBJECT

public:
    /// Takes the table as its first view.
    CompareViews(Studio& studio, RunTableView& table, const StudyComparer& comparer, QWidget* parent);

    /// The names of the views, the table first.
    static QStringList words();
    void choose(int view);
    PairPanel& pair() const { return *pair_; }

private:
    void refresh();
    /// Hides what stands around the view, or shows it again.
    void toggleFullSize();

    QList<QWidget*> hidden_;  ///< the docks that give the view their room
    ScatterPanel* scatter_;
    ParallelPanel* parallel_;
    BarsPanel* bars_;
    SeedsPanel* seeds_;
    PairPanel* pair_;
};

}  // namespace heddle::ui
