// SPDX-License-Identifier: GPL-3.0-or-later
// The Watch page: a run, in training or after it, beside those that it is compared with. Everything is read from the database,
// so that runs of this window, of the command line and of last year look alike.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/data/run_details.h"
#include "ui/data/series_store.h"
#include "ui/data/subject.h"
#include "ui/pages/page.h"
#include "ui/pages/watch/curves_model.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/panels/curve_panel.h"
#include "ui/panels/log_model.h"
#include "ui/panels/panel_group.h"

#include <QElapsedTimer>
#include <QTimer>

#include <set>

class QListView;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace heddle::ui {

class AttentionPanel;
class GatesPanel;
class LogView;
class SampleView;
class ScrubBar;
class SparsityPanel;

namespace watch {
class CardChoice;
class LegendRow;
class WatchBar;
}  // namespace watch

class WatchPage : public Page {
    Q_OBJECT

public:
    explicit WatchPage(Studio& studio);

    QString title() const override { return tr("Watch"); }
    Icon icon() const override { return Icon::Watch; }
    QList<QAction*> editActions() const override { return editActions_; }
    QList<QAction*> viewActions() const override { return viewActions_; }
    QList<QAction*> runActions() const override { return runActions_; }
    QList<QAction*> panelActions() const override;
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;
    /// Docks, and the splitters between the cards.
    QByteArray arrangement() const override;
    void arrange(const QByteArray& arrangement) override;

private:
    // watch_layout.cpp
    void buildMiddle();
    void buildDocks();
    void buildQueue();
    QWidget* buildCurvesList();
    void arrangeCards();
    // watch_actions.cpp
    void buildActions();
    void addViewAction(QAction* action, const QList<QWidget*>& views);
    void buildCurveActions(const QList<QWidget*>& views);
    void buildSnapshotActions(const QList<QWidget*>& plots, const QList<QWidget*>& lists);
    void buildRunActions(const QList<QWidget*>& views);
    void buildStripActions();
    void addToViews(QAction* action, const QList<QWidget*>& views);
    void wireBar();
    void nameTargets();
    void moveInQueue(int by);
    void cloneAndCorrect();
    /// The run chosen in the queue.
    RunRef queuedRun() const;
    RunRef listedRun() const;
    RunRef listedCompared() const;
    void toggleHidden(const RunRef& run);
    void hideOthers();
    void stopComparing(const RunRef& run);
    // watch_flow.cpp: from the database into the views
    void refresh();
    void forget(int database);
    void refreshRows();
    void chooseRun();
    void followRuns();
    void chooseByHand(const RunRef& run);
    std::vector<RunRef> drawn() const;
    void requestSeries();
    void refreshDetails();
    void showProgress();
    void showPending();
    std::map<RunRef, QString> pendingWords() const;
    Query::Request ratesRequest();
    void showRuns();
    void showDetails();
    void showStrip();
    void showSubject();
    void showList();
    void showLegend();
    // watch_curves.cpp
    void showCurves();
    void addLines(const RunRef& run, QList<Line>& loss, QList<Line>& accuracy);
    Step endOfAxis(const Run& run) const;
    void showUnits();
    void showAxis();
    QString stepWords(Step step, const char* metric, double factor, int decimals) const;
    QList<CurvePlot*> plotsOverSteps() const { return {&loss_->plot(), &accuracy_->plot(), throughput_}; }
    void linkCursors();
    void watchAge();

    const Run* currentRecord() const;
    std::shared_ptr<const RunDetail> currentDetail() const;
    Step namedStep() const;

    SeriesStore series_;
    RunDetails details_;
    Query* rates_;
    bool shown_ = false, detailsAreOld_ = true;
    RunRef seenRun_;                        ///< the current run, once its database knew it
    std::optional<std::set<RunRef>> live_;  ///< runs in training at the last refresh
    std::set<RunRef> hidden_;
    struct Valid {
        std::shared_ptr<const RunDetail> of;
        std::shared_ptr<const Series> loss, accuracy;
    };
    std::map<RunRef, Valid> valid_;
    std::set<int> ratesDue_;  ///< databases whose rates are read next
    int ratesOf_ = 0;         ///< the database whose rates are read
    ToldOnce ratesTold_;
    std::map<RunRef, double> ratesRead_;

    RunActions* onRuns_;
    watch::WatchBar* bar_;
    QStackedWidget* stack_;
    MessageStrip* strip_;
    std::string stripKey_, closedStrip_;
    QAction *openLog_, *copyDetails_, *correct_;
    QSplitter *upper_, *lower_, *both_;
    QWidget* upperBox_;
    CurvePanel *loss_, *accuracy_;
    watch::LegendRow* legend_;
    AttentionPanel* attention_;
    GatesPanel* gates_;
    SparsityPanel* sparsity_;
    ScrubBar* scrub_;
    PanelGroup cards_{this};
    watch::CardChoice* choice_;

    watch::QueueModel queue_;
    watch::CurvesModel curves_;
    LogModel log_;
    QListView *queueView_, *curvesView_;
    QLabel* curvesCaption_;
    QTabWidget* tabs_;
    LogView* logView_;
    SampleView* samples_;
    CurvePlot* throughput_;
    QList<QAction*> editActions_, viewActions_, runActions_;
    QAction *wholePlan_, *ignoreOutliers_;
    QAction *leaveFullSize_ = nullptr, *stopComparing_, *earlier_, *later_;

    QTimer detailsTimer_, ageTimer_;
    QElapsedTimer sinceRow_;
    std::string throughputKey_, axisKey_;
    std::shared_ptr<const RunDetail> logOf_;
    int throughputId_ = 0;
    Step lastRow_ = -1;
    RunRef lastRowOf_;
    double usualGap_ = 0;  ///< seconds between new rows as seen here
    QString age_;
};

}  // namespace heddle::ui
