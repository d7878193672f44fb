// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/end_values.h"

#include "ui/compare/columns.h"
#include "ui/shell/number.h"
#include "ui/shell/studio.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <set>

namespace heddle::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("heddle::ui::EndValues", text); }

/// Valid, test, train; loss, accuracy, BLEU; the rest behind.
std::pair<int, int> rankOf(const std::string& metric) {
    constexpr std::array<std::string_view, 6> kOrder{"valid", "test", "train", "loss", "accuracy", "bleu"};
    const auto place = [&](std::string_view word) {
        return int(std::find(kOrder.begin(), kOrder.end(), word) - kOrder.begin());
    };
    const auto dot = metric.find('.');
    return {place(std::string_view(metric).substr(0, dot)), place(std::string_view(metric).substr(dot + 1))};
}

std::vector<std::string> metricsOf(const std::vector<RunPointer>& runs) {
    std::set<std::string> all;
    for (const auto& run : runs)
        for (const auto& [metric, facts] : run->metrics) all.insert(metric);
    std::vector<std::string> metrics(all.begin(), all.end());
    std::stable_sort(metrics.begin(), metrics.end(), [](const auto& a, const auto& b) { return rankOf(a) < rankOf(b); });
    return metrics;
}

template <class Text>
QString shared(const std::vector<RunPointer>& runs, const std::string& metric, const Text& text) {
    std::set<QString> different;
    for (const auto& run : runs)
        if (const auto found = run->metrics.find(metric); found != run->metrics.end()) different.insert(text(found->second));
    return different.size() == 1 ? *different.begin() : tr("differ");
}

}  // namespace

PlotTable endValuesOf(const std::vector<RunPointer>& runs) {
    PlotTable table;
    table.columns << tr("Metric") << tr("Value") << tr("n");
    table.textColumns = 2;
    for (const auto& run : runs) table.columns << runLabel(run->record);
    table.columns << tr("Signature");
    for (const auto& metric : metricsOf(runs)) {
        const bool once = std::all_of(runs.begin(), runs.end(), [&](const RunPointer& run) {
            const auto found = run->metrics.find(metric);
            return found == run->metrics.end() || found->second.bestStep == found->second.lastStep;
        });
        for (const auto kind : {Column::Kind::Best, Column::Kind::Last}) {
            if (once && kind == Column::Kind::Best) continue;  // the same number twice
            const Column column{kind, metric};
            const QString rule = once ? tr("best, last") : kind == Column::Kind::Best ? tr("best") : tr("last");
            QStringList row{metricTitle(metric), rule, shared(runs, metric, [](const MetricFacts& m) { return count(m.n); })};
            for (const auto& run : runs) {
                const Cell cell = column.value(*run);
                row << (cell.isEmpty() ? QString(QChar(0x2013)) : column.text(cell, *run));
            }
            row << shared(runs, metric, [](const MetricFacts& m) { return QString::fromStdString(m.signature); });
            table.rows << row;
        }
    }
    return table;
}

}  // namespace heddle::ui
