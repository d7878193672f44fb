// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compared_tables.h"

#include "ui/text/number.h"

namespace heddle::ui {

DifferencesTable::DifferencesTable(Studio& studio, QWidget* parent)
    : ValueTable(tr("Specification differences"), parent),
      studio_(studio),
      comparing_(this, [this](Result<Differences> differences) {
          if (!differences) return studio_.report(differences.problem());
          take(*differences);
      }) {
    setWindowTitle(tr("Specification, differences"));
}

void DifferencesTable::setRuns(const std::vector<RunPointer>& runs, const std::map<std::string, QString>& names) {
    runs_ = runs.size();
    comparing_.cancel();
    comparing_.ask(Pool{}, [runs, names] { return differencesOf(runs, names); });
}

void DifferencesTable::take(const Differences& differences) {
    Content content{differences.table, Emphasis::Unequal, {}, {-1}};
    for (const auto& group : differences.groups) content.orders.push_back(studio_.colours().orderOf(group));
    content.empty = runs_ < 2 ? tr("Tick two runs or more in the table to see how their specifications differ.")
                              : tr("The ticked runs have the same specification, but for their seeds.");
    setContent(content);
    const auto n = qint64(differences.table.rows.size());
    setWindowTitle(runs_ < 2 ? tr("Specification, differences")
                             : tr("Specification, differences · %1 of %2 settings").arg(count(n), count(differences.of)));
}

EndValuesTable::EndValuesTable(Studio& studio, QWidget* parent)
    : ValueTable(tr("End values"), parent), studio_(studio), comparing_(this, [this](Result<PlotTable> table) {
          if (!table) return studio_.report(table.problem());
          take(*table);
      }) {
    setWindowTitle(tr("End values"));
}

void EndValuesTable::setRuns(const std::vector<RunPointer>& runs) {
    runs_ = runs;
    comparing_.cancel();
    comparing_.ask(Pool{}, [runs] { return runs.empty() ? PlotTable() : endValuesOf(runs); });
}

void EndValuesTable::take(const PlotTable& table) {
    Content content{table, Emphasis::None, {}, {}};
    content.orders.assign(std::size_t(table.textColumns), -1);
    for (const auto& run : runs_) content.orders.push_back(studio_.colours().orderOf(run->record.groupKey));
    content.empty =
        runs_.empty() ? tr("Tick runs in the table to see what they came to.") : tr("No ticked run was evaluated yet.");
    setContent(content);
    const QString warning = warningOf(runs_);
    setWindowTitle(warning.isEmpty() ? tr("End values") : tr("End values · %1").arg(warning));
}

}  // namespace heddle::ui
