// SPDX-License-Identifier: GPL-3.0-or-later
// Interventions: measurements on the model of A, and changes to its training.
#include "ui/pages/inspect/inspect_page.h"
#include "ui/pages/inspect/measurement_table.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/sentence_panel.h"
#include "ui/text/number.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/picture.h"

#include <QDateTime>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <map>

namespace heddle::ui {
namespace {

/// Of one that is worth keeping.
QString wordsOfMeasurement(const Measurement& measurement) {
    QStringList words;
    if (const auto* ranking = std::get_if<RankReport>(&measurement.report))
        words << (std::holds_alternative<MuteHead>(ranking->entries.front().intervention)
                      ? InspectPage::tr("Ranking of heads")
                      : InspectPage::tr("Ranking of gates"));
    for (const Intervention& one : measurement.interventions) words << wordsOf(one) + QLatin1Char(' ') + shortWords(one);
    const QString on = std::visit(
        [](const auto& report) {
            return InspectPage::tr("%1, %2 examples").arg(QString::fromStdString(report.split), count(report.examples));
        },
        measurement.report);
    return InspectPage::tr("%1 · %2", "what was measured, and on what").arg(words.join(QStringLiteral(", ")), on);
}

}  // namespace

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
        [this, ref = record(*a_)->ref, model = *model, request](const std::pair<EffectReport, TextEffect>& answer) {
            outputs_ = answer.second;
            keep(ref, model, {model.run, model.step, 0, request.interventions, answer.first});
        },
        [this, model = *model](const Problem& problem) { fail(model, problem); });
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
        [this, ref = record(*a_)->ref, model = *model](const RankReport& report) {
            keep(ref, model, {model.run, model.step, 0, {}, report});
        },
        [this, model = *model](const Problem& problem) { fail(model, problem); });
}

/// Into the database of the run, from where the next session and other windows have it.
void InspectPage::keep(const RunRef& run, const ModelRef& model, Measurement measurement) {
    setMeasuring(false);
    failed_.reset();
    measurement.time = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
    const Kept kept = measured_.emplace_back(model, std::make_shared<const Measurement>(std::move(measurement))).second;
    question_ = kept->question();
    if (kept->isWorthKeeping())
        studio().commander().edit(run.database, PutItem{Measurement::kind(model.run), kept->key(), kept->toJson()});
    showEffects();
}

void InspectPage::fail(const ModelRef& model, const Problem& problem) {
    setMeasuring(false);
    failed_ = {model, problem};
    showEffects();
}

std::vector<InspectPage::Kept> InspectPage::measurementsOf(const InspectedRun& run) const {
    const auto model = run.model();
    if (!model) return {};
    std::map<std::string, Kept> newest;
    const auto add = [&](const Kept& kept) {
        Kept& place = newest[kept->question()];
        if (!place || place->time <= kept->time) place = kept;  // this session's is the one that has the outputs
    };
    for (const Kept& kept : run.detail()->measurements)
        if (kept->step == model->step) add(kept);
    for (const auto& [of, kept] : measured_)
        if (of == *model) add(kept);
    std::vector<Kept> all;
    for (const auto& [question, kept] : newest) all.push_back(kept);
    std::stable_sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a->time > b->time; });
    return all;
}

/// Shows what was measured on the models of A and B. Numbers of another run or checkpoint are hidden, and are shown again with
/// it.
void InspectPage::showEffects() {
    const auto all = measurementsOf(*a_), ofB = measurementsOf(*b_);
    const bool isFailure = failed_ && a_->model() == failed_->first;
    const auto asks = [](const std::string& question) {
        return [&](const Kept& kept) { return kept->question() == question; };
    };
    auto chosen = std::find_if(all.begin(), all.end(), asks(question_));
    if (chosen == all.end()) chosen = all.begin();
    const Kept a = all.empty() || isFailure ? nullptr : *chosen;
    const auto same = a ? std::find_if(ofB.begin(), ofB.end(), asks(a->question())) : ofB.end();
    const Kept b = same != ofB.end() && b_->model() != a_->model() ? *same : nullptr;
    const auto nameOf = [this](const InspectedRun& run, const Kept& kept) {
        return kept ? modelWords(run).toStdString() + kept->key() + std::to_string(kept->time) : std::string();
    };
    std::string shown = isFailure ? "failed " + failed_->second.what.toStdString() : nameOf(*a_, a) + '\n' + nameOf(*b_, b);
    if (!a) shown += a_->model() ? std::string() : gridReason().toStdString();
    for (const Kept& one : all) shown += '\n' + one->question();
    if (shown == shownEffects_) return;
    shownEffects_ = shown;
    shownA_ = a;
    shownB_ = b;
    QList<std::pair<QString, QString>> kept;
    for (const Kept& one : all)
        if (one->isWorthKeeping()) kept.append({QString::fromStdString(one->question()), wordsOfMeasurement(*one)});
    interventions_->setKept(kept, a ? QString::fromStdString(a->question()) : QString());
    EffectView& effects = interventions_->effects();
    grid_->grid().setCosts({});
    if (isFailure) return effects.showText(wordsOf(failed_->second));
    if (!a) return interventions_->forgetEffects();
    if (const auto* ranking = std::get_if<RankReport>(&a->report)) {
        effects.setRanking(modelWords(*a_), *ranking);
        setCosts(*ranking);
    } else {
        const bool isLast = !measured_.empty() && measured_.back().second == a;
        effects.setEffect(modelWords(*a_), std::get<EffectReport>(a->report), isLast ? outputs_ : TextEffect());
    }
    if (b) effects.setBeside(modelWords(*b_), *b);
}

void InspectPage::exportMeasurement() {
    openExportDialog({tr("Export the measurement"), tableFilters(), tr("measurement")}, this,
                     [this](const QString& file) { exportTo(file); });
}

void InspectPage::exportTo(const QString& file) {
    if (!shownA_) return;
    try {
        writeWhole(file, tableBytes(inspect::measurementTable(*shownA_, shownB_.get()), file));
        studio().report(MessageStrip::Message{StripKind::Ok, tr("Exported %1").arg(QFileInfo(file).fileName()), file});
    } catch (const std::exception& error) {
        studio().report(Problem{
            tr("The measurement was not exported: %1").arg(problemOf(error).what), file, {}, tr("Choose another place.")});
    }
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
