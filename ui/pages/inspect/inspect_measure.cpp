// SPDX-License-Identifier: GPL-3.0-or-later
// Interventions: measurements on the model of A, and changes to its training.
#include "ui/pages/inspect/inspect_page.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/sentence_panel.h"

#include <QMessageBox>
#include <QPushButton>

namespace heddle::ui {

void InspectPage::measure() {
    const auto model = a_->model();
    if (!model || measuring_) return;
    EffectRequest request;
    request.interventions = interventions_->active();
    request.on.examples = interventions_->examples();
    request.depth = interventions_->decodes() ? EffectRequest::Depth::Decoded : EffectRequest::Depth::Scored;
    // The sentence that is shown is written again, where the task writes any.
    std::optional<TextRequest> text;
    if (const auto& observed = a_->observed(); observed && !observed->output.empty() && !request.interventions.empty())
        text = TextRequest{observed->input, request.interventions, sentence_->search()};
    setMeasuring(true);
    inspector_.ask(
        this, *model,
        [request, text](InspectionSession& session) {
            return std::pair(session.effect(request), text ? session.outputs(*text) : TextEffect());
        },
        [this, model = *model](const std::pair<EffectReport, TextEffect>& answer) {
            setMeasured({model, answer});
        },
        [this, model = *model](const Problem& problem) {
            setMeasured({model, problem});
        });
}

void InspectPage::rank(RankRequest::What what) {
    const auto model = a_->model();
    if (!model || measuring_) return;
    RankRequest request;
    request.what = what;
    request.on.examples = interventions_->examples();
    // Called on the inspector's thread, which ends before the panel does.
    request.progress = [panel = interventions_](std::int64_t done, std::int64_t all) {
        QMetaObject::invokeMethod(panel, [panel, done, all] { panel->setProgress(done, all); });
    };
    setMeasuring(true);
    inspector_.ask(
        this, *model, [request](InspectionSession& session) { return session.rank(request); },
        [this, model = *model](const RankReport& report) {
            setMeasured({model, report});
        },
        [this, model = *model](const Problem& problem) {
            setMeasured({model, problem});
        });
}

void InspectPage::setMeasured(Measured measured) {
    setMeasuring(false);
    measured_ = std::move(measured);
    showsEffects_ = false;
    showEffects();
}

/// The numbers of another run or checkpoint go, and come back with it.
void InspectPage::showEffects() {
    const auto model = a_->model();
    const bool isOfModel = measured_ && model == measured_->model;
    if (isOfModel && showsEffects_) return;
    if (!isOfModel) {
        interventions_->forgetEffects();
        grid_->grid().setCosts({});
    } else if (const auto* effect = std::get_if<std::pair<EffectReport, TextEffect>>(&measured_->result)) {
        interventions_->effects().setEffect(modelWords(*a_), effect->first, effect->second);
    } else if (const auto* ranking = std::get_if<RankReport>(&measured_->result)) {
        interventions_->effects().setRanking(modelWords(*a_), *ranking);
        setCosts(*ranking);
    } else if (const auto* problem = std::get_if<Problem>(&measured_->result)) {
        interventions_->effects().showText(wordsOf(*problem));
    }
    showsEffects_ = isOfModel;
}

void InspectPage::setMeasuring(bool measuring) {
    measuring_ = measuring;
    interventions_->setBusy(measuring);
}

void InspectPage::showTraining() {
    const Run* run = a_->detail() ? record(*a_) : nullptr;
    const auto state = run ? runStateFromName(run->state) : std::nullopt;
    if (state != RunState::Running && state != RunState::Paused) return interventions_->setInTraining(std::nullopt);
    const auto now = a_->detail()->interventions();
    interventions_->setInTraining(now ? now->inForce : std::vector<Intervention>{});
}

/// Asks the user before the first change of a run, from which on the run is not comparable.
void InspectPage::changeTraining() {
    const Run* run = record(*a_);
    if (!run) return;
    // What is asked for is what the user sees now: until the answer the page may show another run, or this one may have ended.
    const auto change = [this, ref = run->ref, wanted = interventions_->trainingChange()] {
        studio().commander().intervene(ref, wanted, {[this] { details_.refresh(); }, {}});
    };
    if (run->intervened >= 0) return change();
    auto* question = new QMessageBox(QMessageBox::Question, tr("Change the training"),
                                     tr("Change the training of %1?").arg(runLabel(*run)), QMessageBox::Cancel, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(
        tr("From its next step on it trains, and is evaluated, with the interventions that are ticked. The run is marked as "
           "not comparable from there on, also after they are undone."));
    const QPushButton* yes = question->addButton(tr("Change the training"), QMessageBox::AcceptRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, change);
    question->open();
}

/// Shows beside every head in the grid what muting it costs.
void InspectPage::setCosts(const RankReport& report) {
    QHash<QString, double> costs;
    for (const RankReport::Entry& entry : report.entries)
        if (std::holds_alternative<MuteHead>(entry.intervention))
            costs[QString::fromStdString(textOf(entry.intervention))] = entry.loss.difference();
    grid_->grid().setCosts(costs);
}

/// Mutes the chosen head or undoes that.
void InspectPage::muteHead() {
    const HeadRow* row = grid_->row();
    if (row) interventions_->toggle(MuteHead{row->sublayer.toStdString(), grid_->grid().current()->head});
}

}  // namespace heddle::ui
