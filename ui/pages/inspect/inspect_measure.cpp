// SPDX-License-Identifier: GPL-3.0-or-later
// What interventions cost: questions to the model of A.
#include "ui/pages/inspect/inspect_page.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/sentence_panel.h"

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
        [this](const std::pair<EffectReport, TextEffect>& answer) {
            setMeasuring(false);
            interventions_->effects().setEffect(answer.first);
            interventions_->effects().setOutputs(answer.second);
        },
        [this](const Problem& problem) {
            setMeasuring(false);
            interventions_->effects().say(problem.next.isEmpty() ? problem.what
                                                                 : problem.what + QStringLiteral(": ") + problem.next);
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
            setMeasuring(false);
            interventions_->effects().setRanking(report);
            showCosts(model, report);
        },
        [this](const Problem& problem) {
            setMeasuring(false);
            interventions_->effects().say(problem.what);
        });
}

void InspectPage::setMeasuring(bool measuring) {
    measuring_ = measuring;
    interventions_->setBusy(measuring);
}

/// Beside every head in the grid what muting it costs.
void InspectPage::showCosts(const ModelRef& model, const RankReport& report) {
    QHash<QString, double> costs;
    for (const RankReport::Entry& entry : report.entries)
        if (std::holds_alternative<MuteHead>(entry.intervention))
            costs[QString::fromStdString(textOf(entry.intervention))] = entry.loss.difference();
    costsOf_ = model;
    grid_->grid().setCosts(costs);
}

/// Mutes the chosen head, or takes that back.
void InspectPage::muteHead() {
    const HeadRow* row = grid_->row();
    if (row) interventions_->toggle(MuteHead{row->sublayer.toStdString(), grid_->grid().current()->head});
}

}  // namespace heddle::ui
