// SPDX-License-Identifier: GPL-3.0-or-later
// The studio: the window, its pages, and a control for every opened database. Handles closing.
#pragma once

#include "app/session/host/database_control.h"
#include "ui/diagnostics/stall_detector.h"
#include "ui/window/main_window.h"
#include "ui/window/notifier.h"

#include <QMessageBox>
#include <QPointer>
#include <QTimer>

#include <deque>
#include <map>
#include <memory>
#include <set>

namespace heddle::studio {

class StudioProgram : public QObject {
    Q_OBJECT

public:
    struct Options {
        /// Options of every control; database and owner are set here.
        app::DatabaseControl::Options control;
        bool onlyLook = false;  ///< --shots: nothing is written
        ui::Notify notify;      ///< desktop notifications of ended runs; empty: none
    };
    StudioProgram(QSettings& settings, Options options, QObject* parent = nullptr);
    ~StudioProgram() override;

    ui::Studio& studio() { return *studio_; }
    ui::MainWindow& window() { return *window_; }
    ui::StallDetector& stalls() { return stalls_; }

    /// Opens a database instead of those that are open; training in them continues.
    void open(const QString& file);
    /// Opens a database beside those that are open; makes one that is open already current.
    void openBeside(const QString& file);
    /// The same, creating the database if missing.
    void create(const QString& file);
    /// Shows a run once all databases are open. `run`: an id, a unique prefix of one, or a unique name in any of them.
    void showRun(const QString& run);
    /// Opens $HEDDLE_DB, else ./runs.heddle, as the command line does; else the last database, else the default one, created on
    /// first use.
    void openUsual();

    enum class Closing { Stop, HandOver };
    /// Ends or hands over the runs of this process, then closes the window. Does not ask the user.
    void shutDown(Closing closing);

Q_SIGNALS:
    /// Emitted after everything is stopped and written and the window is closed.
    void closed();

private:
    RunControl* controlOf(const QString& file);
    /// The control of an open database; null with --shots.
    app::DatabaseControl* controlOf(const ui::RunDatabase& database) const;
    void showRecorder();
    void findRequestedRun(int database);
    void showRequestedRun();
    /// What the last process left behind: an offer to go on with it.
    struct Offer {
        enum class Of { Interrupted, Queue, LostGpu };
        Of of = Of::Interrupted;
        std::vector<ui::RunRef> runs;
        bool wasShown = false;
    };
    void findOffers(const ui::RunDatabase& database);
    void showOffer();
    void answerOffer();
    void askAndClose();
    void showQuestion(const QString& runs);
    void showStatus();
    void offerInterrupted(const std::vector<ui::RunRef>& runs, bool isNews);
    void offerQueue(const std::vector<ui::RunRef>& runs);
    void offerOtherProcess(const std::vector<ui::RunRef>& runs);
    void resumeAll(const std::vector<ui::RunRef>& runs);
    void showMessageStrip(ui::StripKind kind, const QString& title, const QString& text, const QList<QAction*>& actions);
    QAction* stripAction(const QString& words, std::function<void()> run);
    void finish(const QString& lost);

    Options options_;
    QSettings& settings_;
    ui::StallDetector stalls_;
    /// By file. Never removed, since an idle control owns nothing.
    std::map<QString, std::unique_ptr<app::DatabaseControl>> controls_;
    std::unique_ptr<RunControl> silent_;
    std::unique_ptr<ui::Studio> studio_;
    std::unique_ptr<ui::Notifier> notifier_;
    std::unique_ptr<ui::MainWindow> window_;
    QTimer statusTimer_;
    QList<QAction*> stripActions_;
    std::set<ui::RunRef> offered_;     ///< interrupted runs and runs without GPU that were offered to the user
    std::set<int> queueOffered_;       ///< databases whose queue was offered
    std::deque<Offer> offers_;         ///< not answered yet; the first is the one that is shown
    QString shownOffer_;               ///< its title, while it may stand in the strip
    QString requestedRun_;             ///< what showRun() looks for; empty: nothing
    std::vector<ui::RunRef> matches_;  ///< runs that requestedRun_ names, in the databases searched so far
    std::set<int> lookedInto_;
    bool closing_ = false;
    QPointer<QMessageBox> question_;
    std::unique_ptr<QThread> closer_;
};

}  // namespace heddle::studio
