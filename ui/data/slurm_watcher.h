// SPDX-License-Identifier: GPL-3.0-or-later
// Submits plans to Slurm and watches their jobs, of all open databases, as `heddle sweep --launcher slurm` does.
#pragma once

#include "app/study/submissions.h"
#include "ui/data/studio.h"
#include "ui/threads/query.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::ui {

class SlurmWatcher : public QObject {
    Q_OBJECT

public:
    SlurmWatcher(Studio& studio, QObject* parent);

    /// Whether jobs can be submitted and watched here: Slurm's command sbatch is on the PATH.
    bool isAvailable() const { return hasSlurm_ && studio_.services().submissionsOf; }
    /// A submitted sweep, and its database.
    struct Sweep {
        int database = 0;
        app::Submission sweep;
    };
    /// As of the last looks.
    std::vector<Sweep> sweeps() const;
    /// Why states are not known or runs are not merged now; empty: they are.
    QString problem() const;
    /// The folder of a database's submissions; empty for one that is not open.
    QString folderOf(int database) const;

    /// Submits a plan; `rows` returns its rows, on a pool thread. A message tells the outcome, as of the calls below.
    void submit(int database, const QString& name, const std::function<std::vector<PlanRow>()>& rows,
                const app::SlurmOptions& options);
    void submitAgain(const Sweep& sweep);
    void cancel(const Sweep& sweep);
    void remove(const Sweep& sweep);
    /// Looks at the jobs of all databases now.
    void look();

Q_SIGNALS:
    void changed();

private:
    struct Watched {
        std::shared_ptr<app::Submissions> jobs;
        std::vector<app::Submission> sweeps = {};
        QString problem = {};
        bool isLooking = false, isDue = false;  ///< isDue: something was done since the look under way began
    };
    void watch(int database);
    void lookAt(int database);
    void take(int database, const Result<app::SubmissionsLook>& look);
    void tell(const Watched& watched, const app::SubmissionsLook& look) const;
    /// Calls `work` with the jobs of a database on a pool thread, tells its lines under `title`, and looks.
    template <class Work>
    void carryOut(int database, const QString& title, Work work);

    Studio& studio_;
    const bool hasSlurm_;
    std::map<int, Watched> watched_;  ///< by database
    QTimer timer_;                    ///< runs while a job waits or runs
    ReportedProblems reported_;
};

}  // namespace heddle::ui
