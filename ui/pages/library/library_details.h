// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about the current database, the check of its file, and facts about the chosen run.
#pragma once

#include "storage/database_report.h"
#include "ui/data/studio.h"
#include "ui/pages/library/verify.h"
#include "ui/threads/query.h"
#include "ui/widgets/small_parts.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace heddle::ui {

class FactList;
class MessageStrip;
class PanelTitle;
class UseBar;

/// The report on a database and the sizes in its folder.
struct ReportedFacts {
    QString file;
    storage::DatabaseReport report;
    std::map<std::string, qint64> sizes;  ///< of the runs' folders
};

/// Bytes of every run's folder below `folder` (FILE.heddle.d). Call it on a pool thread: disks may be slow.
std::map<std::string, qint64> folderSizes(const QString& folder);

/// A run with its attempts, checkpoints, notes and damages.
struct RunReport {
    storage::RunRecord run;
    std::vector<storage::AttemptRecord> attempts;
    std::vector<storage::CheckpointRecord> checkpoints;
    QStringList notes, damages;  ///< damages: those found so far
};

/// Its window title names the database.
class LibraryDetails : public SideArea {
    Q_OBJECT

public:
    LibraryDetails(Studio& studio, QWidget* parent);

    /// Reads the report on the current database again.
    void refresh();
    /// Reads a run, also the one that is shown; an empty reference shows none.
    void setRun(const RunRef& run);
    /// Checks the whole current database.
    QAction& verifyAction() { return *verifyAction_; }
    /// The lines that are shown, for tests: "Schema version 1".
    QStringList lines() const;
    QLineEdit& noteField() { return *note_; }

Q_SIGNALS:
    /// A report on the current database was read; it has the sizes of its runs.
    void reported(const heddle::ui::ReportedFacts& facts);

private:
    void build();
    void takeReport(Result<ReportedFacts> facts);
    void showReport(const std::optional<ReportedFacts>& facts);
    void showVerified();
    /// 0 to `total` runs checked; total 0: nothing is being checked.
    void showProgress(std::int64_t done, std::int64_t total);
    void showRun(const std::optional<RunReport>& run);
    void showSurroundings(const storage::AttemptRecord& attempt);
    void startVerify();
    void takeVerified(Result<std::optional<VerifiedFacts>> facts);
    void endVerify();

    Studio& studio_;
    MessageStrip* strip_;
    PanelTitle *useTitle_, *runTitle_;
    FactList *database_, *run_;
    UseBar* use_;
    QLabel* totals_;
    QPushButton* verify_;
    QAction* verifyAction_;
    QProgressBar* progress_;
    QLineEdit* note_;
    QWidget* useBox_;

    RunRef shown_;
    Query<ReportedFacts> reporting_;
    Query<std::optional<RunReport>> reading_;
    ReportedProblems reported_;
    QString checked_;  ///< the file that is being checked
    Task<std::optional<VerifiedFacts>> checking_;
};

}  // namespace heddle::ui
