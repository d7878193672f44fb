// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a database as the Library lists them: plain lines, filtered and sorted away from the GUI thread.
#pragma once

#include "engine/analysis/metric_summary.h"
#include "storage/records.h"
#include "ui/data/run_database.h"
#include "ui/text/states.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

enum class RunColumn { State, Name, Seed, Variant, Step, Loss, Accuracy, Bleu, Duration, Size, Created, Tags };
inline constexpr int kRunColumns = 12;

/// Loss and accuracy of the valid split, BLEU of the test split; nothing where a run has none.
struct RunScores {
    std::optional<MetricSummary> loss, accuracy, bleu;
    bool operator==(const RunScores&) const = default;
};
RunScores scoresOf(const std::vector<storage::EvaluationRecord>& evaluations);

struct RunLine {
    std::string id, variant, group;
    QString name, reason;
    QStringList tags;
    Mark mark = Mark::Queued;
    std::uint64_t seed = 0;
    std::int64_t step = 0, totalSteps = 0, epoch = 0;
    double seconds = 0, created = 0, trashed = 0;
    RunScores scores;   ///< once they are read
    qint64 bytes = -1;  ///< of its folder; -1 not known yet
    bool operator==(const RunLine&) const = default;
};
RunLine lineOf(const Run& run);

/// Which runs are listed. Attention: interrupted, failed, paused. Deleted: those in the trash.
enum class RunView { All, Live, Attention, Deleted };
bool belongs(const RunLine& line, RunView view);

struct ListOptions {
    RunView view = RunView::All;
    QString words = {};  ///< each must occur in name, state, tags, seed ("s4"), id or variant hash
    RunColumn sorted = RunColumn::Created;
    Qt::SortOrder order = Qt::DescendingOrder;
};

/// Filters and sorts. For any thread.
std::vector<RunLine> listRuns(std::vector<RunLine> lines, const ListOptions& options);

/// Bytes of every run's folder below `folder` (FILE.heddle.d). For a pool thread, since disks may be slow.
std::map<std::string, qint64> folderSizes(const QString& folder);

}  // namespace heddle::ui
