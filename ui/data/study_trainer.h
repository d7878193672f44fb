// SPDX-License-Identifier: GPL-3.0-or-later
// Trains studies from the window as `heddle study` does: the runs that come next, and those after them, until all is decided.
#pragma once

#include "app/study/study_progress.h"
#include "ui/data/slurm_watcher.h"
#include "ui/data/studio.h"
#include "ui/data/study_comparer.h"
#include "ui/threads/query.h"

#include <map>
#include <set>
#include <string>
#include <utility>

class QAction;

namespace heddle::ui {

class StudyTrainer : public QObject {
    Q_OBJECT

public:
    /// Trains the study that `comparer` shows, on request. Both must outlive this object.
    StudyTrainer(Studio& studio, StudyComparer& comparer, QObject* parent);

    /// Train, or Pause while runs of the shown study train or wait, also those of another process and on Slurm.
    QAction& action() const { return *action_; }
    /// Asks for a submission of the shown study; hidden where there is no Slurm.
    QAction& onSlurm() const { return *onSlurm_; }

Q_SIGNALS:
    /// The user wants this many runs, and those after them, trained on Slurm.
    void submissionRequested(const heddle::ui::KnownStudy& study, int runs);
    void failed(const heddle::ui::Problem& problem);

private:
    using StudyName = std::pair<int, std::string>;  ///< number of the database and key
    /// A study that this window trains.
    struct Training {
        std::set<std::string> begun;  ///< ids of runs that were begun or continued here
        bool isPaused = false;        ///< runs that are still to be begun are stopped at once
        std::size_t requests = 0;     ///< not answered yet
        bool hasEvaluated = false;    ///< the averages that were missing at the last look
    };

    void lookAtShown();
    void lookAt(const StudyName& name);
    void lookAtNext();
    void take(Result<app::StudyProgress> look);
    void goOn(const StudyName& name, const app::StudyProgress& progress);
    void begin(const StudyName& name, const app::StudyProgress& progress);
    void evaluate(const StudyName& name, const app::StudyProgress& progress);
    void answered(const StudyName& name);
    void giveUp(const StudyName& name, const Problem& problem);
    void forget(int database);
    void trainOrPause();
    void pause(const StudyName& name);
    void requestSubmission();
    void refresh();
    const KnownStudy* known(const StudyName& name) const;

    Studio& studio_;
    StudyComparer& comparer_;
    SlurmWatcher& slurm_;
    QAction *action_, *onSlurm_;
    std::map<StudyName, Training> training_;
    std::map<StudyName, app::StudyProgress> progress_;  ///< as of the last look
    std::set<StudyName> due_;                           ///< to look at
    StudyName looked_;                                  ///< is looked at now, or was last
    ReportedProblems reported_;
    Query<app::StudyProgress> looking_;
};

}  // namespace heddle::ui
