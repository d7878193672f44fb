// SPDX-License-Identifier: GPL-3.0-or-later
// Submits plans and studies of the open databases to Slurm and watches their jobs, as the commands `heddle sweep` and `heddle
// study` do with --launcher slurm.
#pragma once

#include "app/study/submissions.h"
#include "ui/data/databases.h"
#include "ui/text/problem.h"
#include "ui/threads/query.h"
#include "ui/widgets/message_strip.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

class SlurmWatcher : public QObject {
    Q_OBJECT

public:
    /// Returns, on the GUI thread, the submissions of a file; may be empty.
    using SubmissionsOf = std::function<std::shared_ptr<app::Submissions>(const QString& file)>;
    /// `databases` must outlive this object.
    SlurmWatcher(Databases& databases, SubmissionsOf submissionsOf);

    /// Whether jobs can be submitted and watched here: Slurm's command sbatch is on the PATH.
    bool isAvailable() const { return hasSlurm_ && submissionsOf_; }
    struct Listed {
        int database = 0;
        app::Submission submission;
    };
    /// As of the last looks.
    std::vector<Listed> all() const;
    /// That of a study; nothing where no run of it was submitted, or all is over.
    std::optional<Listed> ofStudy(int database, const std::string& key) const;
    /// Why states are not known or runs are not merged now; empty: they are.
    QString problem() const;
    /// The folder of a database's submissions; empty for one that is not open.
    QString folderOf(int database) const;

    /// Submits a plan; `rows` returns its rows, on a pool thread. A message tells the outcome, as of the calls below.
    void submit(int database, const QString& name, const std::function<std::vector<PlanRow>()>& rows,
                const app::SlurmOptions& options);
    /// Submits the runs of a study that come next; looks submit those after them.
    void submitStudy(int database, const std::string& key, const app::SlurmOptions& options);
    void submitAgain(const Listed& one);
    void cancel(const Listed& one);
    void remove(const Listed& one);
    /// Looks at the jobs of all databases now.
    void look();

Q_SIGNALS:
    void changed();
    void told(const heddle::ui::MessageStrip::Message& message);
    void failed(const heddle::ui::Problem& problem);
    void studyTrained(const std::string& key);  ///< it is over

private:
    struct Watched {
        std::shared_ptr<app::Submissions> jobs;
        std::vector<app::Submission> all = {};
        QString problem = {};
        bool isLooking = false, isDue = false;  ///< isDue: something was done since the look under way began
    };
    void watch(int database);
    void lookAt(int database);
    void take(int database, const Result<app::SubmissionsLook>& look);
    static QString nameOf(const app::Submission& one);
    void tell(const Watched& watched, const app::SubmissionsLook& look);
    /// Calls `work` with the jobs of a database on a pool thread, tells its lines under `title`, and looks.
    template <class Work>
    void carryOut(int database, const QString& title, Work work);

    Databases& databases_;
    const SubmissionsOf submissionsOf_;
    const bool hasSlurm_;
    std::map<int, Watched> watched_;  ///< by database
    QTimer timer_;                    ///< runs while a look may find something new
    ReportedProblems reported_;
};

}  // namespace heddle::ui
