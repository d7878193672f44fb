// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/end_values.h"

#include "ui/data/studio.h"
#include "ui/pages/compare/columns.h"
#include "ui/text/number.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::EndValues)
};

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
    return signatures.size() == 1 ? QString::fromStdString(*signatures.begin()) : Words::tr("differ");
}

/// Why the value of a run must not be put beside that of the first run that has the metric.
std::vector<Unlike> doubtsOf(const RunPointer& run, const std::vector<RunPointer>& runs, const std::string& metric) {
    const auto own = run->measured(metric);
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const auto& other) { return other->measured(metric); });
    return own ? unlike(*own, *(*first)->measured(metric)) : std::vector<Unlike>{};
}

QString wordOf(Unlike doubt) {
    switch (doubt) {
    case Unlike::Count: return Words::tr("n differs");
    case Unlike::Signature: return Words::tr("the rule differs");
    case Unlike::Data: return Words::tr("the data differ");
    }
    return {};
}

}  // namespace

QString doubtWords(const std::set<Unlike>& doubts) {
    QStringList words;
    for (const Unlike doubt : doubts) words << wordOf(doubt);
    return words.join(QStringLiteral(", "));
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
    return Words::tr("%1 not comparable: %2").arg(kNotComparable).arg(doubts.join(QStringLiteral("; ")));
}

PlotTable endValuesOf(const std::vector<RunPointer>& runs) {
    PlotTable table;
    table.columns << Words::tr("Metric") << Words::tr("Value");
    table.textColumns = 2;
    for (const auto& run : runs) table.columns << runLabel(run->record);
    table.columns << Words::tr("n") << Words::tr("Signature");
    for (const auto& metric : metricsOf(runs)) {
        const bool once = std::all_of(runs.begin(), runs.end(), [&](const RunPointer& run) {
            const auto found = run->metrics.find(metric);
            return found == run->metrics.end() || found->second.bestStep == found->second.lastStep;
        });
        for (const auto kind : {Column::Kind::Best, Column::Kind::Last}) {
            if (once && kind == Column::Kind::Best) continue;  // the same number twice
            const Column column{kind, metric};
            const QString rule = once                         ? Words::tr("best, last")
                                 : kind == Column::Kind::Best ? Words::tr("best")
                                                              : Words::tr("last");
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
