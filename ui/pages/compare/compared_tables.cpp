// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compared_tables.h"

#include "ui/text/number.h"

namespace heddle::ui {

DifferencesTable::DifferencesTable(Studio& studio, QWidget* parent)
    : ValueTable(tr("Specification differences"), parent), studio_(studio), comparing_(this, [this](Result<Compared> compared) {
          if (!compared) return studio_.report(compared.problem());
          take(*compared);
      }) {
    setWindowTitle(tr("Specification, differences"));
}

void DifferencesTable::setRuns(const std::vector<RunPointer>& runs, const GroupNames& names) {
    comparing_.ask(Pool{}, [runs, names] { return Compared{differencesOf(runs, names), runs.size()}; });
}

void DifferencesTable::take(const Compared& compared) {
    const auto& [differences, runs] = compared;
    Content content{differences.table, Emphasis::Unequal, {}, {-1}};
    for (const auto& group : differences.groups) content.orders.push_back(studio_.colours().orderOf(group));
    content.empty = runs < 2 ? tr("Tick two runs or more in the table to see how their specifications differ.")
                             : tr("The ticked runs have the same specification, but for their seeds.");
    setContent(content);
    const auto n = qint64(differences.table.rows.size());
    setWindowTitle(runs < 2 ? tr("Specification, differences")
                            : tr("Specification, differences · %1 of %2 settings").arg(count(n), count(differences.of)));
}

EndValuesTable::EndValuesTable(Studio& studio, QWidget* parent)
    : ValueTable(tr("End values"), parent), studio_(studio), comparing_(this, [this](Result<EndValues> values) {
          if (!values) return studio_.report(values.problem());
          take(*values);
      }) {
    setWindowTitle(tr("End values"));
}

void EndValuesTable::setRuns(const std::vector<RunPointer>& runs) {
    comparing_.ask(Pool{}, [runs] { return EndValues{runs, runs.empty() ? PlotTable() : endValuesOf(runs), warningOf(runs)}; });
}

void EndValuesTable::take(const EndValues& values) {
    const auto& [runs, table, warning] = values;
    Content content{table, Emphasis::None, {}, {}};
    content.orders.assign(std::size_t(table.textColumns), -1);
    for (const auto& run : runs) content.orders.push_back(studio_.colours().orderOf(run->record.groupKey));
    content.empty =
        runs.empty() ? tr("Tick runs in the table to see what they came to.") : tr("No ticked run was evaluated yet.");
    setContent(content);
    setWindowTitle(warning.isEmpty() ? tr("End values") : tr("End values · %1").arg(warning));
}

}  // namespace heddle::ui
