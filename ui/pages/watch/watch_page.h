// SPDX-License-Identifier: GPL-3.0-or-later
// The Watch page: a run, during or after its training, and the runs that it is compared with. Everything is read from the
// database: runs of this window, of the command line and of earlier sessions are shown in the same way.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/data/run_details.h"
#include "ui/pages/page.h"

class QStackedWidget;
class QTabWidget;

namespace heddle::ui {

class LogView;
class SampleView;
class ScrubBar;

namespace watch {
class Cards;
class CurveList;
class RunQueue;
class StateStrip;
class WatchBar;
}  // namespace watch

class WatchPage : public Page {
    Q_OBJECT

public:
    explicit WatchPage(Studio& studio);

    QString title() const override { return tr("Watch"); }
    Icon icon() const override { return Icon::Watch; }
    QList<QAction*> panelActions() const override;
    void setShown(bool shown) override;
    /// Docks, and the splitters between the cards.
    QByteArray arrangement() const override;
    void arrange(const QByteArray& arrangement) override;

private:
    void buildDocks();
    void buildActions();
    void buildSnapshotActions(const QList<QWidget*>& all);
    void connectAll();
    void refresh();
    void showDetails();
    void showSubject();

    RunDetails details_;
    bool shown_ = false;
    bool entered_ = false;  ///< whether the page was shown before; later the focus stays where the user left it
    RunActions* onRuns_;
    watch::WatchBar* bar_;
    watch::StateStrip* strip_;
    watch::Cards* cards_;
    ScrubBar* scrub_;
    QStackedWidget* stack_;
    watch::RunQueue* queue_;
    watch::CurveList* list_;
    QTabWidget* tabs_;
    LogView* log_;
    SampleView* samples_;
};

}  // namespace heddle::ui
