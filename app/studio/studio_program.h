// SPDX-License-Identifier: GPL-3.0-or-later
// The studio: the window, its pages, and a control for every opened database. Handles closing.
#pragma once

#include "app/session/host/database_control.h"
#include "ui/window/main_window.h"
#include "ui/window/notifier.h"

#include <QMessageBox>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

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

    /// Opens a database instead of those that are open; training in them continues.
    void open(const QString& file);
    /// Opens a database beside those that are open; makes one that is open already current.
    void openBeside(const QString& file);
    /// The same, creating the database if missing.
    void create(const QString& file);
    /// Shows a run once all databases are open. `run`: an id, a unique prefix of one, or a unique name in any of them.
    void showRun(const QString& run);
    /// Opens $HEDDLE_DB, else ./runs.heddle, as the command line does; else the last database, else the default one, created on
    /// first use. Offers ./runs.heddle when it is made later.
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
    /// Which runs of a database an offer is about.
    enum class Offer { Interrupted, Queue, LostGpu };
    static QString offerKey(Offer of, int database);
    void updateOffers(const ui::RunDatabase& database);
    void showOffer(Offer of, const std::vector<ui::RunRef>& runs);
    void offerFolder(const QString& file);
    void endOffers(const std::function<bool(Offer, int)>& matches);
    void askAndClose();
    void showQuestion(const QString& runs);
    void showStatus();
    ui::MessageStrip::Message interruptedOffer(const std::vector<ui::RunRef>& runs);
    ui::MessageStrip::Message queueOffer(const std::vector<ui::RunRef>& runs);
    ui::MessageStrip::Message otherProcessOffer(const std::vector<ui::RunRef>& runs);
    void resumeAll(const std::vector<ui::RunRef>& runs);
    /// An action that its message owns.
    QAction* messageAction(const QString& words, std::function<void()> run);
    void finish(const QString& lost);

    Options options_;
    QSettings& settings_;
    /// By file. Never removed, since an idle control owns nothing.
    std::map<QString, std::unique_ptr<app::DatabaseControl>> controls_;
    std::unique_ptr<RunControl> silent_;
    std::unique_ptr<ui::Studio> studio_;
    std::unique_ptr<ui::Notifier> notifier_;
    std::unique_ptr<ui::MainWindow> window_;
    QTimer statusTimer_;
    std::set<std::pair<Offer, ui::RunRef>> offered_;  ///< what was offered to the user, and as what
    std::set<int> queueOffered_;                      ///< databases whose queue was offered
    /// Not answered yet, by kind and database.
    std::map<std::pair<Offer, int>, std::vector<ui::RunRef>> offers_;
    QString awaited_;                  ///< a database that openUsual() would have opened, had it been there
    QString requestedRun_;             ///< what showRun() looks for; empty: nothing
    std::vector<ui::RunRef> matches_;  ///< runs that requestedRun_ names, in the databases searched so far
    std::set<int> lookedInto_;
    bool closing_ = false;
    QPointer<QMessageBox> question_;
    std::unique_ptr<QThread> closer_;
};

}  // namespace heddle::studio
