// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/comparison.h"

#include "engine/base/json.h"
#include "engine/spec/diff.h"
#include "ui/data/studio.h"
#include "ui/panels/table/columns.h"
#include "ui/text/number.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct ComparisonWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Comparison)
};

bool isOfVariant(const SpecDifference& difference) { return difference.path.starts_with("variant."); }

/// Seeds of one group share a column.
std::vector<std::vector<RunPointer>> byGroup(const std::vector<RunPointer>& runs) {
    std::vector<std::vector<RunPointer>> different;
    for (const auto& run : runs) {
        const auto same = std::find_if(different.begin(), different.end(), [&](const auto& others) {
            return run->variant && others.front()->record.groupKey == run->record.groupKey;
        });
        if (same == different.end())
            different.push_back({run});
        else
            same->push_back(run);
    }
    return different;
}

QString textAt(const SpecDifference& line, std::size_t i) {
    return line.contents.empty() ? settingText(line.values[i]) : fileText(line.values[i], line.contents[i]);
}

QString labelOf(const std::vector<RunPointer>& runs, const GroupNames& names) {
    const Run& first = runs.front()->record;
    if (runs.size() == 1) return runLabel(first);
    std::set<std::uint64_t> seeds;
    for (const auto& run : runs) seeds.insert(run->record.seed);
    const auto found = names.find(first.groupKey);
    const QString name =
        found == names.end() ? QString::fromStdString(first.name.empty() ? first.id : first.name) : found->second;
    return ComparisonWords::tr("%1, %2 seeds").arg(name).arg(seeds.size());
}

/// Valid, test, train; loss, accuracy, BLEU; the rest behind.
std::pair<int, int> rankOf(std::string_view metric) {
    const auto dot = metric.find('.');
    return {metricRank(metric.substr(0, dot)), metricRank(metric.substr(dot + 1))};
}

std::vector<std::string> metricsOf(const std::vector<RunPointer>& runs) {
    std::set<std::string> all;
    for (const auto& run : runs)
        for (const auto& [metric, facts] : run->metrics) all.insert(metric);
    std::vector<std::string> metrics(all.begin(), all.end());
    std::stable_sort(metrics.begin(), metrics.end(), [](const auto& a, const auto& b) { return rankOf(a) < rankOf(b); });
    return metrics;
}

/// "1,014", or "500–1,014" where the runs were evaluated on different numbers of items.
QString countsOf(const std::vector<RunPointer>& runs, const std::string& metric) {
    std::set<std::int64_t> counts;
    for (const auto& run : runs)
        if (const auto found = run->metrics.find(metric); found != run->metrics.end()) counts.insert(found->second.n);
    if (counts.size() == 1) return count(*counts.begin());
    return count(*counts.begin()) + QChar(0x2013) + count(*counts.rbegin());
}

QString signatureOf(const std::vector<RunPointer>& runs, const std::string& metric) {
    std::set<std::string> signatures;
    for (const auto& run : runs)
        if (const auto found = run->metrics.find(metric); found != run->metrics.end())
            signatures.insert(found->second.signature);
    return signatures.size() == 1 ? QString::fromStdString(*signatures.begin()) : ComparisonWords::tr("differ");
}

/// Why the value of a run must not be put beside that of the first run that has the metric.
std::vector<Unlike> doubtsOf(const RunPointer& run, const std::vector<RunPointer>& runs, const std::string& metric) {
    const Measured* own = run->measured(metric);
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const auto& other) { return other->measured(metric); });
    return own ? unlike(*own, *(*first)->measured(metric)) : std::vector<Unlike>{};
}

}  // namespace

Differences differencesOf(const std::vector<RunPointer>& runs, const GroupNames& names) {
    Differences result;
    std::vector<Json> documents;
    std::vector<FileContents> contents;
    std::set<std::string> all;
    const auto different = byGroup(runs);
    for (const auto& same : different) {
        const RunPointer& run = same.front();
        documents.push_back(run->settingsDocument());
        contents.push_back(run->contents);
        for (const auto& [path, value] : documents.back().items()) all.insert(path);
    }
    result.of = std::int64_t(all.size());
    result.table.columns << ComparisonWords::tr("Path");
    for (const auto& same : different) {
        result.table.columns << labelOf(same, names);
        result.groups.push_back(same.front()->record.groupKey);
    }
    result.table.textColumns = int(different.size()) + 1;
    auto lines = joinLayers(diffDocuments(documents, contents));
    // The model comes before its data and its training, as the first question of a comparison is about it.
    std::stable_partition(lines.begin(), lines.end(), isOfVariant);
    for (const auto& line : lines) {
        QStringList row{shownPath(line.path)};
        for (std::size_t i = 0; i < line.values.size(); ++i) row << textAt(line, i);
        result.table.rows << row;
    }
    return result;
}

QString warningOf(const std::vector<RunPointer>& runs) {
    QStringList doubts;
    for (const auto& metric : metricsOf(runs)) {
        std::set<Unlike> reasons;
        for (const auto& run : runs)
            for (const Unlike doubt : doubtsOf(run, runs, metric)) reasons.insert(doubt);
        if (!reasons.empty()) doubts << QStringLiteral("%1 (%2)").arg(metricTitle(metric), doubtWords(reasons));
    }
    if (doubts.isEmpty()) return {};
    return ComparisonWords::tr("%1 not comparable: %2").arg(kNotComparable).arg(doubts.join(QStringLiteral("; ")));
}

PlotTable endValuesOf(const std::vector<RunPointer>& runs) {
    PlotTable table;
    table.columns << ComparisonWords::tr("Metric") << ComparisonWords::tr("Value");
    table.textColumns = 2;
    for (const auto& run : runs) table.columns << runLabel(run->record);
    table.columns << ComparisonWords::tr("n") << ComparisonWords::tr("Signature");
    for (const auto& metric : metricsOf(runs)) {
        const bool once = std::all_of(runs.begin(), runs.end(), [&](const RunPointer& run) {
            const auto found = run->metrics.find(metric);
            return found == run->metrics.end() || found->second.bestStep == found->second.lastStep;
        });
        for (const auto kind : {Column::Kind::Best, Column::Kind::Last}) {
            if (once && kind == Column::Kind::Best) continue;  // the same number twice
            const Column column{kind, metric};
            const QString rule = once                         ? ComparisonWords::tr("best, last")
                                 : kind == Column::Kind::Best ? ComparisonWords::tr("best")
                                                              : ComparisonWords::tr("last");
            QStringList row{metricTitle(metric), rule};
            for (const auto& run : runs) {
                const Cell cell = column.value(*run);
                const QString mark = doubtsOf(run, runs, metric).empty() ? QString() : QStringLiteral(" ") + kNotComparable;
                row << (cell.isEmpty() ? QString(kNoValue) : column.text(cell, *run) + mark);
            }
            row << countsOf(runs, metric) << signatureOf(runs, metric);
            table.rows << row;
        }
    }
    return table;
}

}  // namespace heddle::ui
