// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/ticked_runs.h"

#include "ui/panels/table/run_table_view.h"

#include <QSettings>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

const QString kRuns = QStringLiteral("compare/runs"), kRunsOf = QStringLiteral("compare/runsOf");

}  // namespace

TickedRuns::TickedRuns(Studio& studio, RunTableView& table, QObject* parent) : QObject(parent), studio_(studio), table_(table) {
    connect(&table.model(), &RunTableModel::checkedByUser, this, &TickedRuns::choose);
    connect(&table, &RunTableView::arranged, this, &TickedRuns::suggestWhenRead);
    connect(&table.reader(), &RunTableReader::restarted, this, [this] {
        maySuggest_ = true;
        std::erase_if(runs_, [this](const RunRef& run) { return !studio_.databases().find(run.database); });
        table_.model().setChecked(runs_);
        isChosen_ = isChosen_ && !runs_.empty();
    });
    connect(&studio, &Studio::compareRequested, this, &TickedRuns::add);
    connect(&studio.colours(), &VariantColours::changed, this,
            [this] { maySuggest_ |= table_.options().baseline != studio_.colours().baseline(); });
}

std::vector<RunPointer> TickedRuns::facts() const {
    const std::set<RunRef> ticked(runs_.begin(), runs_.end());
    std::vector<RunPointer> runs;
    for (const auto& run : table_.table()->runs)
        if (ticked.contains(run->record.ref)) runs.push_back(run);
    const auto place = [this](const RunPointer& run) {
        const int order = studio_.colours().orderOf(run->record.groupKey);
        return std::tuple(order < 0 ? std::numeric_limits<int>::max() : order, run->record.groupKey, run->record.seed);
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return runs;
}

void TickedRuns::choose(std::vector<RunRef> runs) {
    isChosen_ = true;
    tick(std::move(runs));
}

void TickedRuns::add(const std::vector<RunRef>& runs) {
    auto all = isChosen_ ? runs_ : std::vector<RunRef>();
    for (const RunRef& run : runs)
        if (std::find(all.begin(), all.end(), run) == all.end()) all.push_back(run);
    choose(std::move(all));
}

void TickedRuns::setBaseline(const std::string& baseline) {
    if (std::exchange(baseline_, baseline) != baseline) suggest();
}

void TickedRuns::suggest() {
    maySuggest_ = true;
    suggestWhenRead();
}

void TickedRuns::suggestWhenRead() {
    const auto& table = table_.table();
    if (isChosen_ || !maySuggest_ || table->runs.empty() || !table_.reader().isWhole()) return;
    maySuggest_ = false;
    std::vector<RunRef> runs;
    if (studio_.settings().value(kRunsOf).toString() == studio_.databases().currentFile())
        for (const auto& id : studio_.settings().value(kRuns).toStringList()) {
            const RunRef run(studio_.databases().currentNumber(), id.toStdString());
            const auto isThis = [&](const auto& facts) { return facts->record.ref == run; };
            if (std::any_of(table->runs.begin(), table->runs.end(), isThis)) runs.push_back(run);
        }
    if (!runs.empty()) return choose(std::move(runs));
    tick(newestAndBaseline(*table, baseline_.empty() ? studio_.colours().baseline() : baseline_));
}

void TickedRuns::tick(std::vector<RunRef> runs) {
    if (runs == runs_) return;
    runs_ = std::move(runs);
    table_.model().setChecked(runs_);
    Q_EMIT changed();
}

void TickedRuns::saveSession(QSettings& settings) const {
    QStringList runs;
    for (const RunRef& run : runs_)
        if (isChosen_ && run.database == studio_.databases().currentNumber()) runs << QString::fromStdString(run.id);
    settings.setValue(kRuns, runs);
    settings.setValue(kRunsOf, studio_.databases().currentFile());
}

}  // namespace heddle::ui
