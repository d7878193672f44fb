// SPDX-License-Identifier: GPL-3.0-or-later
// ComparePage: what the ticked runs show below the table.
#include "ui/data/run_group.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/curves_panel.h"
#include "ui/pages/compare/end_values.h"
#include "ui/pages/compare/run_table_panel.h"
#include "ui/pages/compare/spec_differences.h"
#include "ui/pages/compare/value_table.h"
#include "ui/text/number.h"
#include "ui/threads/background.h"

#include <QDockWidget>
#include <QTreeView>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace heddle::ui {

void ComparePage::setTicked(std::vector<RunRef> runs) {
    chosen_ = true;
    tick(std::move(runs));
}

void ComparePage::tick(std::vector<RunRef> runs) {
    if (runs == ticked_) return;
    ticked_ = std::move(runs);
    table_->model().setChecked(ticked_);
    showTicked();
}

std::vector<RunPointer> ComparePage::tickedRuns() const {
    const std::set<RunRef> ticked(ticked_.begin(), ticked_.end());
    std::vector<RunPointer> runs;
    for (const auto& run : table_->table()->runs)
        if (ticked.count(run->record.ref)) runs.push_back(run);
    // The baseline first, since the others are compared with it; seeds of a group together.
    const auto place = [this](const RunPointer& run) {
        const int order = studio().orderOf(run->record.groupKey);
        return std::tuple(order < 0 ? std::numeric_limits<int>::max() : order, run->record.groupKey, run->record.seed);
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return runs;
}

void ComparePage::showTicked() {
    const auto runs = tickedRuns();
    std::vector<CurveRequest> requests;
    for (const auto& run : runs)
        requests.push_back({run->record.ref, run->record.groupKey, runLabel(run->record), table_->nameOfGroup(run),
                            studio().orderOf(run->record), memberOf(run->record)});
    std::map<std::string, QString> names;
    for (const CurveRequest& request : requests) names[request.group] = request.groupLabel;
    const bool other = runs != compared_ || requests != requested_;
    requested_ = requests;
    lightCurves();
    if (other) curves_->setRuns(requests);
    table_->view().viewport()->update();  // groups drawn for the first time have their line now
    if (!other && !runs.empty()) return;
    compared_ = runs;
    comparing_ = true;
    struct Answer {
        Differences differences;
        PlotTable values;
    };
    inBackground(
        this,
        [runs, names] {
            return Answer{differencesOf(runs, names), runs.empty() ? PlotTable() : endValuesOf(runs)};
        },
        [this, runs](const Answer& answer) {
            if (runs != compared_) return;
            comparing_ = false;
            showDifferences(answer.differences);
            showValues(answer.values);
        },
        [this, runs](const Problem& problem) {
            if (runs != compared_) return;
            comparing_ = false;
            studio().report(problem);
        });
}

void ComparePage::showDifferences(const Differences& differences) {
    ValueTable::Content content{differences.table, ValueTable::Emphasis::Unequal, {}, {-1}};
    for (const auto& group : differences.groups) content.orders.push_back(studio().orderOf(group));
    content.empty = compared_.size() < 2 ? tr("Tick two runs or more in the table to see how their specifications differ.")
                                         : tr("The ticked runs have the same specification, but for their seeds.");
    differences_->setContent(content);
    const auto n = qint64(differences.table.rows.size());
    differencesDock_->setWindowTitle(
        compared_.size() < 2 ? tr("Specification, differences")
                             : tr("Specification, differences · %1 of %2 settings").arg(count(n), count(differences.of)));
}

void ComparePage::showValues(const PlotTable& table) {
    ValueTable::Content content{table, ValueTable::Emphasis::None, {}, {}};
    content.orders.assign(std::size_t(table.textColumns), -1);
    for (const auto& run : compared_) content.orders.push_back(studio().orderOf(run->record.groupKey));
    content.empty =
        compared_.empty() ? tr("Tick runs in the table to see what they came to.") : tr("No ticked run was evaluated yet.");
    values_->setContent(content);
    const QString warning = warningOf(compared_);
    valuesDock_->setWindowTitle(warning.isEmpty() ? tr("End values") : tr("End values · %1").arg(warning));
}

/// Chooses at most nine groups that keep their colours: those of the selected rows, then the first ones.
void ComparePage::lightCurves() {
    std::vector<int> orders;
    const auto take = [&](int order) {
        const bool ticked = std::any_of(requested_.begin(), requested_.end(), [&](const auto& r) { return r.order == order; });
        if (ticked && std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
    };
    for (const auto& run : table_->selectedRuns()) take(studio().orderOf(run->record.groupKey));
    for (const auto& request : requested_) take(request.order);
    if (orders.size() > kRunColourNames.size()) orders.resize(kRunColourNames.size());
    curves_->setLit({orders.begin(), orders.end()});
}

}  // namespace heddle::ui
