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
        bool readOnly = false;  ///< --shots: nothing is written
        ui::Notify notify;      ///< desktop notifications of ended runs; empty: none
    };
    StudioProgram(QSettings& settings, Options options, QObject* parent = nullptr);
    ~StudioProgram() override;

    ui::Studio& studio() { return *studio_; }
    ui::MainWindow& window() { return *window_; }

    /// Shows a run once all databases are open. `run`: an id, a unique prefix of one, or a unique name in any of them.
    void showRun(const QString& run);
    /// Opens $HEDDLE_DB, else ./runs.heddle, as the command line does; else the last database, else the default one, which is
    /// created if missing. Offers to open ./runs.heddle when it is created later.
    void openDefault();

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
    /// The runs of a database that an offer can resume.
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
    QAction* messageAction(const char* name, const QString& text, std::function<void()> run);
    void finish(const QString& lost);

    Options options_;
    QSettings& settings_;
    /// By file. Never removed, since an idle control owns nothing.
    std::map<QString, std::unique_ptr<app::DatabaseControl>> controls_;
    std::unique_ptr<RunControl> readOnly_;
    std::unique_ptr<ui::Studio> studio_;
    std::unique_ptr<ui::Notifier> notifier_;
    std::unique_ptr<ui::MainWindow> window_;
    QTimer statusTimer_;
    std::set<std::pair<Offer, ui::RunRef>> offered_;  ///< the offers that were made
    std::set<int> queueOffered_;                      ///< databases whose queue was offered
    /// The offers that are not answered yet, by kind and database.
    std::map<std::pair<Offer, int>, std::vector<ui::RunRef>> offers_;
    QString expectedFile_;             ///< a database that openDefault() would have opened if it had existed
    QString requestedRun_;             ///< the argument of showRun(), until the run is found
    std::vector<ui::RunRef> matches_;  ///< runs that requestedRun_ names, in the databases searched so far
    std::set<int> searched_;           ///< databases in which requestedRun_ was searched
    bool closing_ = false;
    QPointer<QMessageBox> question_;
    std::unique_ptr<QThread> closer_;
};

}  // namespace heddle::studio
