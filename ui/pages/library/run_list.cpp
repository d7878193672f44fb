// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/run_list.h"

#include "ui/data/studio.h"

#include <QDirIterator>

#include <algorithm>

namespace heddle::ui {
namespace {

QString haystack(const RunLine& line) {
    return QStringList{line.name,
                       lookOf(line.mark).word,
                       line.tags.join(QLatin1Char(' ')),
                       QStringLiteral("s%1").arg(line.seed),
                       QString::fromStdString(line.id),
                       QString::fromStdString(line.variant)}
        .join(QLatin1Char('\n'));
}

bool fits(const RunLine& line, const QStringList& words) {
    if (words.isEmpty()) return true;
    const QString text = haystack(line);
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/// A missing value comes after all values.
int byBest(const std::optional<MetricSummary>& a, const std::optional<MetricSummary>& b) {
    if (!a || !b) return int(b.has_value()) - int(a.has_value());
    return a->best < b->best ? -1 : b->best < a->best ? 1 : 0;
}

/// Less, equal or greater by the sorted column.
int compare(const RunLine& a, const RunLine& b, RunColumn column) {
    const auto three = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    switch (column) {
    case RunColumn::State: return three(int(a.mark), int(b.mark));
    case RunColumn::Name: return QString::compare(a.name, b.name, Qt::CaseInsensitive);
    case RunColumn::Seed: return three(a.seed, b.seed);
    case RunColumn::Variant: return three(a.variant, b.variant);
    case RunColumn::Step: return three(a.step, b.step);
    case RunColumn::Loss: return byBest(a.scores.loss, b.scores.loss);
    case RunColumn::Accuracy: return byBest(a.scores.accuracy, b.scores.accuracy);
    case RunColumn::Bleu: return byBest(a.scores.bleu, b.scores.bleu);
    case RunColumn::Duration: return three(a.seconds, b.seconds);
    case RunColumn::Size: return three(a.bytes, b.bytes);
    case RunColumn::Created: return three(a.created, b.created);
    case RunColumn::Tags:
        return QString::compare(a.tags.join(QLatin1Char(' ')), b.tags.join(QLatin1Char(' ')), Qt::CaseInsensitive);
    }
    return 0;
}

}  // namespace

RunScores scoresOf(const std::vector<storage::EvaluationRecord>& evaluations) {
    const auto of = [&](const char* split, const char* metric) -> std::optional<MetricSummary> {
        std::vector<storage::EvaluationRecord> rows;
        for (const auto& row : evaluations)
            if (row.split == split && row.metric == metric) rows.push_back(row);
        const bool isWhole = std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.damaged; });
        return rows.empty() || !isWhole ? std::nullopt : std::optional(summariseMetric(rows));
    };
    return {of("valid", "loss"), of("valid", "accuracy"), of("test", "bleu")};
}

RunLine lineOf(const Run& run) {
    RunLine line;
    line.id = run.id;
    line.variant = run.variantHash;
    line.group = run.groupKey;
    line.name = QString::fromStdString(run.name);
    line.reason = QString::fromStdString(run.reason);
    for (const auto& tag : run.tags) line.tags << QString::fromStdString(tag);
    line.mark = markOf(run);
    line.seed = run.seed;
    line.step = run.step;
    line.totalSteps = run.totalSteps;
    line.epoch = run.epoch;
    line.seconds = run.seconds;
    line.created = run.created;
    line.trashed = run.trashed;
    return line;
}

bool belongs(const RunLine& line, RunView view) {
    if (line.trashed > 0 || view == RunView::Deleted) return line.trashed > 0 && view == RunView::Deleted;
    switch (view) {
    case RunView::Live:
        return line.mark == Mark::Queued || line.mark == Mark::Preparing || line.mark == Mark::Running ||
               line.mark == Mark::Paused || line.mark == Mark::Stopping;
    case RunView::Attention:
        return line.mark == Mark::Failed || line.mark == Mark::Interrupted || line.mark == Mark::Paused ||
               line.mark == Mark::Damaged;
    default: return true;
    }
}

std::vector<RunLine> listRuns(std::vector<RunLine> lines, const ListOptions& options) {
    const QStringList words = options.words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::erase_if(lines, [&](const RunLine& line) { return !belongs(line, options.view) || !fits(line, words); });
    std::stable_sort(lines.begin(), lines.end(), [&](const RunLine& a, const RunLine& b) {
        const int result = compare(a, b, options.sorted);
        return options.order == Qt::AscendingOrder ? result < 0 : result > 0;
    });
    return lines;
}

std::map<std::string, qint64> folderSizes(const QString& folder) {
    std::map<std::string, qint64> sizes;
    QDirIterator runs(folder, QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
    while (runs.hasNext()) {
        runs.next();
        qint64& bytes = sizes[runs.fileName().toStdString()];
        QDirIterator files(runs.filePath(), QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            files.next();
            bytes += files.fileInfo().size();
        }
    }
    return sizes;
}

}  // namespace heddle::ui
