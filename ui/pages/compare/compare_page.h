// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: a table of values, the differences of their specifications, curves. It shows values with step, n and
// signature, and no tests of significance.
#pragma once

#include "ui/data/query.h"
#include "ui/pages/compare/curve_reader.h"
#include "ui/pages/compare/run_facts.h"
#include "ui/pages/page.h"

#include <set>

class QComboBox;
class QDockWidget;
class QLabel;
class QPushButton;

namespace heddle::ui {

class ColumnChooser;
class CurvesPanel;
class RunActions;
class FilterLine;
class RunTablePanel;
class ValueTable;
struct Differences;
struct PlotTable;

class ComparePage : public Page {
    Q_OBJECT

public:
    explicit ComparePage(Studio& studio);

    QString title() const override { return tr("Compare"); }
    Icon icon() const override { return Icon::Compare; }
    QList<QAction*> editActions() const override;
    QList<QAction*> viewActions() const override;
    QList<QAction*> runActions() const override;
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

    /// Ticks and draws these runs, which is then the user's choice. Until there is one, it is the newest group and its
    /// baseline.
    void setTicked(std::vector<RunRef> runs);
    const std::vector<RunRef>& ticked() const { return ticked_; }

    /// Writes a table (.csv, .md, .tex, .tsv) or the curves as a picture (.svg, .pdf, .png) to `file`; a message reports
    /// success or failure.
    enum class Export { Table, Picture, Values, EndValues, Differences };
    void exportTo(const QString& file, Export what);

private:
    void buildToolBar();
    void buildProblemRow();
    void buildDocks();
    void buildActions();
    QAction* addPageAction(const QString& text, const QKeySequence& key, const std::function<void()>& does,
                           QWidget* scope = nullptr);
    void connectStudio();

    void startAnew();
    Query::Request factsRequest();
    void takeTable(std::shared_ptr<const RunTable> table);
    void chooseTicks();
    void tick(std::vector<RunRef> runs);
    void showTicked();
    void showDifferences(const Differences& differences);
    void showValues(const PlotTable& table);
    void lightCurves();
    void showCounts();
    std::vector<RunPointer> tickedRuns() const;
    void updateActions();
    void copyRows();
    void pinBaseline();
    void chooseFile(Export what);
    PlotTable tableOf(Export what) const;

    RunTablePanel* table_;
    FilterLine* filter_;
    QLabel *counts_, *problem_;
    QPushButton *suggestion_, *columnsButton_;
    QWidget* problemRow_;
    QComboBox* grouping_;
    ColumnChooser* chooser_;
    ValueTable *differences_, *values_;
    CurvesPanel* curves_;
    QDockWidget *differencesDock_, *valuesDock_, *curvesDock_;
    RunActions* onRuns_;
    QAction *watch_, *copy_, *baseline_, *tick_, *find_, *nextDifference_, *tableOfCurves_, *ignoreOutliers_, *exportTable_,
        *exportCurves_, *exportValues_, *columns_;

    std::shared_ptr<FactsReader> reader_;
    int asked_ = 0;  ///< the database that is read
    ToldOnce told_;
    Query* reading_;
    std::set<int> due_;  ///< databases with something to read
    bool shown_ = false, comparing_ = false, entered_ = false;
    std::vector<RunRef> ticked_;
    bool chosen_ = false;    ///< by the user, now or in the session before
    bool mayChoose_ = true;  ///< the page may tick runs by itself; true again when it is shown or the databases change
    std::vector<RunPointer> compared_;  ///< the runs whose differences and values are shown or being made
    std::vector<CurveRequest> requested_;
};

}  // namespace heddle::ui
