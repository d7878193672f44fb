// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment plan on the page: what it takes, and the runs that it starts.
#include "engine/analysis/run_group.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_panel.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/threads/background.h"

#include <QAction>
#include <QDockWidget>
#include <QTabWidget>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace heddle::ui {
namespace {

/// A run of a plan, and the key of what it will be (plannedKey()).
struct PlannedRun {
    RunSpec spec;
    std::string key;
};

/// The runs of a plan. Throws where one of them cannot be queued.
std::vector<PlannedRun> checkedRuns(const std::vector<PlanRow>& rows) {
    std::vector<PlannedRun> runs;
    for (const PlanRow& row : rows)
        for (RunSpec& spec : runsOf(row, builtinCatalogue(), std::filesystem::current_path().string())) {
            requireDataFiles(spec.data);
            std::string key = plannedKey(spec.toJson().dump());
            runs.push_back({std::move(spec), std::move(key)});
        }
    return runs;
}

/// Whether a run is the planned one: the same settings, files and seed, completed or not ended yet.
bool isSame(const Run& run, const PlannedRun& planned) {
    const auto state = runStateFromName(run.state);
    const bool counts = state && (!isFinal(*state) || *state == RunState::Completed) && !run.damaged && run.intervened < 0;
    return counts && run.seed == planned.spec.seed && run.plannedKey == planned.key;
}

}  // namespace

void ComposePage::addControlToPlan() {
    findControl([this](const NamedControl& found) {
        table_->model().add({found.name.toStdString(), found.control.document, {}, readSeeds(draft_.seeds())},
                            tr("control: %1").arg(found.difference));
    });
}

void ComposePage::refreshPlan() {
    if (draft_.document().is_object()) {
        table_->setDraft(plan_->row(), draft_.assumed());
        std::optional<PlanRow> baseline;
        if (draft_.baselineFacts())
            baseline = PlanRow{
                draft_.baselineName().toStdString(), controlDocument(draft_.document(), draft_.baselineDocument()), {}, {1}};
        table_->setBaseline(baseline);
    }
    showSteps();
    autosave_.start();
}

void ComposePage::showSteps() { totals_->showStep(table_->stepOfDraft(), table_->stepOfBaseline()); }

void ComposePage::showPlan() {
    docks_.back()->show();
    bottom_->setCurrentWidget(table_);
    growBottom();
    table_->setFocus(Qt::ShortcutFocusReason);
}

void ComposePage::editDraft(PlanColumn column, const QString& words) {
    switch (column) {
    case PlanColumn::Name: return draft_.setName(words);
    case PlanColumn::Seeds: return draft_.setSeeds(words);
    case PlanColumn::Settings: return draft_.apply(readGrid(words).at(0).settings, words);
    case PlanColumn::Device: return draft_.assign("train.device", words.toStdString());
    default: return;
    }
}

void ComposePage::startRuns() {
    table_->setStarting(true);
    const int database = studio().databases().currentNumber();
    inBackground(
        this, [rows = table_->model().included()] { return checkedRuns(rows); },
        [this, database](std::vector<PlannedRun> runs) {
            table_->setStarting(false);
            const RunDatabase* known = studio().databases().find(database);
            const auto exists = [known](const PlannedRun& planned) {
                return known && std::any_of(known->runs().begin(), known->runs().end(),
                                            [&](const Run& run) { return isSame(run, planned); });
            };
            std::vector<RunSpec> missing, existing;
            for (PlannedRun& run : runs) (exists(run) ? existing : missing).push_back(std::move(run.spec));
            submit(database, missing);
            if (existing.empty()) return;
            auto* again = new QAction(tr("Train them again"));  // the message owns it
            connect(again, &QAction::triggered, this, [this, database, existing] { submit(database, existing); });
            studio().report(MessageStrip::Message{
                StripKind::Info,
                tr("%Ln run(s) of the plan exist already and were not started again", nullptr, int(existing.size())),
                tr("The database has them with the same settings, files and seeds."),
                {again},
                QStringLiteral("existingRuns")});
        },
        [this](Problem problem) {
            table_->setStarting(false);
            problem.safe = tr("nothing was queued");
            studio().report(problem);
        });
}

/// Queues runs and goes to the first of them that is accepted.
void ComposePage::submit(int database, const std::vector<RunSpec>& specs) {
    const auto isShown = std::make_shared<bool>(false);
    for (const RunSpec& spec : specs)
        studio().commander().submit(database, spec, [this, isShown](const RunRef& run) {
            if (std::exchange(*isShown, true)) return;
            studio().setCurrentRun(run);
            studio().go(PageId::Watch);
        });
}

}  // namespace heddle::ui
