// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/interventions_panel.h"

#include "engine/run/run_state.h"
#include "ui/data/studio.h"
#include "ui/panels/intervention_list.h"
#include "ui/panels/measurement_words.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace heddle::ui {
namespace {

/// The change of the loss when each head is silenced.
QHash<QString, double> costsIn(const Measurement* measurement) {
    QHash<QString, double> costs;
    if (const auto* ranking = measurement ? std::get_if<RankReport>(&measurement->report) : nullptr)
        for (const RankReport::Entry& entry : ranking->entries)
            if (headOf(entry.intervention)) costs[QString::fromStdString(textOf(entry.intervention))] = entry.loss.difference();
    return costs;
}

}  // namespace

InterventionsPanel::InterventionsPanel(InspectedPair& pair, QWidget* parent)
    : Panel(tr("Interventions"), parent),
      pair_(pair),
      measuring_(
          this, [this](Result<Answer> answer) { take(std::move(answer)); },
          [this](std::int64_t done, std::int64_t all) {
              progress_->setRange(0, int(all));
              progress_->setValue(int(done));
              progress_->show();
          }) {
    buildHead();
    setBody(buildBody());
    connect(&pair_, &InspectedPair::changed, this, &InterventionsPanel::show);
    connect(list_, &InterventionList::activeChanged, this, &InterventionsPanel::showButtons);
    connect(clear_, &QPushButton::clicked, list_, &InterventionList::removeAll);
    connect(measure_, &QPushButton::clicked, this, [this] { measuring_.isRunning() ? measuring_.cancel() : measure(); });
    connect(rank_, &QPushButton::clicked, this, &InterventionsPanel::rank);
    connect(train_, &QPushButton::clicked, this, &InterventionsPanel::askToChangeTraining);
    connect(export_, &QPushButton::clicked, this, &InterventionsPanel::openExport);
    connect(kept_, &QComboBox::activated, this, [this](int row) {
        failed_.reset();
        question_ = kept_->itemData(row).toString().toStdString();
        showEffects();
    });
    connect(effects_, &EffectView::headChosen, this, &InterventionsPanel::headChosen);
    show();
}

void InterventionsPanel::buildHead() {
    kept_ = new QComboBox(this);
    kept_->setObjectName(QStringLiteral("keptMeasurements"));
    kept_->setAccessibleName(tr("Kept measurements"));
    kept_->setToolTip(tr("Measurements of this model, each with the same measurement of B"));
    kept_->setMaximumWidth(px(220));
    kept_->hide();
    export_ = new QPushButton(tr("Export…"), this);
    export_->setObjectName(QStringLiteral("exportMeasurement"));
    add_ = new QToolButton(this);
    add_->setText(tr("Add"));
    add_->setObjectName(QStringLiteral("addIntervention"));
    add_->setAccessibleName(tr("Add an intervention"));
    add_->setPopupMode(QToolButton::InstantPopup);
    clear_ = new QPushButton(tr("Clear"), this);
    clear_->setObjectName(QStringLiteral("removeInterventions"));
    clear_->setAccessibleName(tr("Remove all interventions"));
    for (QWidget* button : std::initializer_list<QWidget*>{export_, add_, clear_}) setControlRole(*button, ControlRole::Small);
    for (QWidget* one : std::initializer_list<QWidget*>{kept_, export_, add_, clear_}) addToHeadEnd(one);
    list_ = new InterventionList(this);
    add_->setMenu(&list_->menu());
}

QWidget* InterventionsPanel::buildBody() {
    auto* body = new QWidget(this);
    auto* both = new QHBoxLayout(body);
    both->setContentsMargins(0, 0, 0, 0);
    both->setSpacing(px(1));
    auto* left = new QVBoxLayout;
    left->setSpacing(px(8));
    left->addWidget(list_, 1);
    const auto addRow = [left](int below) {
        auto* row = new QHBoxLayout;
        row->setContentsMargins(px(8), 0, px(8), px(below));
        left->addLayout(row);
        return row;
    };
    examples_ = new QSpinBox(this);
    examples_->setObjectName(QStringLiteral("validationExamples"));
    examples_->setRange(1, 100000);
    examples_->setValue(256);
    examples_->setAccessibleName(tr("Validation examples"));
    examples_->setToolTip(tr("Validation examples that are measured"));
    examples_->setSuffix(tr(" examples"));
    decode_ = new QCheckBox(tr("Decode too"), this);
    decode_->setToolTip(tr("Also decode them: BLEU and outputs; takes longer"));
    QHBoxLayout* row = addRow(6);
    row->addWidget(examples_);
    row->addWidget(decode_);
    row->addStretch();
    measure_ = new QPushButton(this);
    measure_->setObjectName(QStringLiteral("measure"));
    setControlRole(*measure_, ControlRole::Primary);
    ranked_ = new QComboBox(this);
    ranked_->addItems({tr("heads"), tr("gates")});
    ranked_->setObjectName(QStringLiteral("ranked"));
    ranked_->setAccessibleName(tr("What is ranked"));
    ablation_ = new QComboBox(this);
    ablation_->setObjectName(QStringLiteral("ablation"));
    ablation_->addItems({QString(), tr("mean"), tr("resample")});
    ablation_->setAccessibleName(tr("Ablation"));
    ablation_->setToolTip(
        tr("What takes the place of each in turn: zero (gates: 1, as if there were none), its mean over all "
           "positions of the examples, or its value in another example"));
    const auto nameValue = [this] { ablation_->setItemText(0, ranked_->currentIndex() == 0 ? tr("zero") : tr("held at 1")); };
    connect(ranked_, &QComboBox::currentIndexChanged, this, nameValue);
    nameValue();
    for (QComboBox* box : {ranked_, ablation_}) {  // may be narrower than its words in a small window
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setMinimumContentsLength(1);
    }
    rank_ = new QPushButton(tr("Rank all"), this);
    rank_->setObjectName(QStringLiteral("rank"));
    row = addRow(0);
    row->addWidget(measure_);
    row->addStretch();
    row = addRow(8);
    row->addWidget(rank_);
    row->addWidget(ranked_);
    row->addWidget(ablation_);
    row->addStretch();
    inTraining_ = new ElidedLabel(this);
    progress_ = new QProgressBar(this);
    progress_->setAccessibleName(tr("Progress"));
    train_ = new QPushButton(tr("Change the training"), this);
    train_->setObjectName(QStringLiteral("changeTraining"));
    for (QWidget* button : {rank_, train_}) setControlRole(*button, ControlRole::Small);
    row = addRow(8);
    row->addWidget(inTraining_, 1);
    row->addWidget(progress_, 1);
    row->addWidget(train_);
    effects_ = new EffectView(this);
    both->addLayout(left, 2);
    both->addWidget(effects_, 4);
    return body;
}

void InterventionsPanel::show() {
    const QString model = InspectedPair::modelLabel(pair_.a());
    setNote(model.isEmpty() ? QString() : tr("measured on a copy of %1: nothing is written to the run").arg(model));
    if (const auto& targets = pair_.a().targets(); targets && targets != targets_) {  // an open menu stays as it is
        targets_ = targets;
        list_->setTargets(*targets_);
    }
    showTraining();
    showEffects();
    showButtons();
}

void InterventionsPanel::showButtons() {
    const QString error = pair_.a().model() ? QString() : pair_.reason();
    const bool isMeasuring = measuring_.isRunning(), canAsk = error.isEmpty() && !isMeasuring;
    measure_->setText(isMeasuring ? tr("Cancel") : tr("Measure"));
    measure_->setEnabled(canAsk || isMeasuring);
    if (!isMeasuring) progress_->hide();
    rank_->setEnabled(canAsk);
    ranked_->setEnabled(canAsk);
    ablation_->setEnabled(canAsk);
    add_->setEnabled(error.isEmpty() && !list_->menu().isEmpty());
    clear_->setEnabled(list_->topLevelItemCount() > 0);
    for (QWidget* one : std::initializer_list<QWidget*>{measure_, add_}) one->setToolTip(error);
    rank_->setToolTip(error.isEmpty() ? tr("Measures one change at a time and sorts by the change of the loss") : error);
    const bool changes = inForce_ && trainingChange() != InterventionChange{};
    const std::vector<Intervention> active = list_->active();
    const bool isPossible = std::all_of(active.begin(), active.end(), isForTraining);
    train_->setEnabled(changes && isPossible && !isMeasuring);
    train_->setToolTip(!inForce_     ? tr("The run is not in training.")
                       : !isPossible ? tr("Mean and resample ablation need a fixed set of examples, which a training has not.")
                       : !changes    ? tr("The training already uses the ticked interventions.")
                                     : tr("From its next step on, the run trains with the ticked interventions only."));
    inTraining_->setText(!inForce_           ? tr("Not in training")
                         : inForce_->empty() ? tr("In training, unchanged")
                                             : tr("In training with %Ln intervention(s)", nullptr, int(inForce_->size())));
}

void InterventionsPanel::muteHead() {
    const InspectedPair::Head& head = pair_.chosenHead();
    if (!head.path.isEmpty()) list_->toggle(MuteHead{head.sublayer.toStdString(), head.number});
}

void InterventionsPanel::clampGate() {
    const QString& sublayer = pair_.chosenHead().sublayer;
    if (!sublayer.isEmpty() && !list_->clampGateOf(sublayer)) effects_->setNote(tr("%1 has no gate.").arg(sublayer));
}

void InterventionsPanel::measure() {
    EffectRequest request;
    request.interventions = list_->active();
    request.on.examples = examples_->value();
    request.depth = decode_->isChecked() ? EffectRequest::Depth::Decoded : EffectRequest::Depth::Scored;
    // Also decodes the sentence that is shown, if the task decodes.
    std::optional<TextRequest> text;
    const auto& observed = pair_.a().observed();
    const bool resamples = std::any_of(request.interventions.begin(), request.interventions.end(),
                                       [](const Intervention& one) { return std::holds_alternative<ResampleOutput>(one); });
    if (observed && !observed->output.empty() && !request.interventions.empty() && !resamples)  // one text has no other example
        text = TextRequest{observed->input, request.interventions, pair_.sentence().search, request.on};
    run(request.interventions, [request, text](InspectionSession& session, const TaskControl&) {
        return Answer{session.effect(request), text ? session.outputs(*text) : TextEffect()};
    });
}

void InterventionsPanel::rank() {
    RankRequest request;
    request.what = ranked_->currentIndex() == 0 ? RankRequest::What::Heads : RankRequest::What::Gates;
    request.ablation =
        std::array{RankRequest::Ablation::Value, RankRequest::Ablation::Mean, RankRequest::Ablation::Resample}.at(
            std::size_t(ablation_->currentIndex()));
    request.on.examples = examples_->value();
    run({}, [request](InspectionSession& session, const TaskControl& task) {
        RankRequest told = request;
        told.progress = [task](std::int64_t done, std::int64_t all) { task.advance(done, all); };
        return Answer{session.rank(told), {}};
    });
}

void InterventionsPanel::run(std::vector<Intervention> tried,
                             std::function<Answer(InspectionSession&, const TaskControl&)> work) {
    const auto model = pair_.a().model();
    if (!model || measuring_.isRunning()) return;
    asked_ = {pair_.a().detail()->record.ref, *model, std::move(tried)};
    measuring_.start(pair_.inspector().at(*model), std::move(work));
    showButtons();
}

/// Of a cancelled ranking the entries so far are shown; any other cancelled measurement shows nothing.
void InterventionsPanel::take(Result<Answer> answer) {
    failed_.reset();
    const ModelRef& model = asked_.model;
    if (answer)
        keepMeasurement(asked_.run, model, {model.run, model.step, 0, asked_.tried, std::move(answer->report)},
                        answer->outputs);
    else if (!measuring_.isCancelled())
        failed_ = {model, answer.problem()};
    show();
}

/// Writes into the database of the run, where the next session and other windows read it.
void InterventionsPanel::keepMeasurement(const RunRef& run, const ModelRef& model, Measurement measurement,
                                         const TextEffect& outputs) {
    measurement.time = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
    const Kept kept = measured_.emplace_back(model, std::make_shared<const Measurement>(std::move(measurement))).second;
    outputs_ = {kept, std::make_shared<const TextEffect>(outputs)};
    question_ = kept->question();
    if (kept->isWorthKeeping())
        pair_.studio().commander().edit(run.database, PutItem{Measurement::kind(model.run), kept->key(), kept->toJson()});
}

std::vector<InterventionsPanel::Kept> InterventionsPanel::measurementsOf(const InspectedRun& run) const {
    const auto model = run.model();
    if (!model) return {};
    std::map<std::string, Kept> newest;
    const auto add = [&](const Kept& kept) {
        Kept& place = newest[kept->question()];
        if (!place || place->time <= kept->time) place = kept;  // only this session's measurement has the outputs
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

/// Shows the measurements of the models of A and B. Those of another run or checkpoint are shown when it is chosen again.
void InterventionsPanel::showEffects() {
    const auto asking = [](const std::vector<Kept>& those, const std::string& question) {
        const auto found =
            std::find_if(those.begin(), those.end(), [&](const Kept& one) { return one->question() == question; });
        return found == those.end() ? nullptr : *found;
    };
    const auto model = pair_.a().model();
    const bool isFailure = failed_ && model == failed_->first;
    const std::vector<Kept> all = measurementsOf(pair_.a());
    EffectView::Shown shown;
    shown.a = asking(all, question_);
    if (!shown.a && !all.empty()) shown.a = all.front();
    if (isFailure) shown.a = nullptr;
    showChoice(all, shown.a);
    if (shown.a) {
        if (pair_.b().model() != model) shown.b = asking(measurementsOf(pair_.b()), shown.a->question());
        shown.modelA = InspectedPair::modelLabel(pair_.a());
        if (shown.b) shown.modelB = InspectedPair::modelLabel(pair_.b());
        if (outputs_.first == shown.a) shown.outputs = outputs_.second;
    } else if (isFailure) {
        shown.words = wordsOf(failed_->second);
    } else {
        shown.words = model ? tr("Add an intervention or mute the chosen head with M, then measure.") : pair_.reason();
    }
    if (shown == effects_->shown()) return;
    effects_->setShown(shown);
    Q_EMIT costsChanged(costsIn(shown.a.get()));
}

void InterventionsPanel::showChoice(const std::vector<Kept>& all, const Kept& shown) {
    QStringList questions, words;
    for (const Kept& one : all)
        if (one->isWorthKeeping()) {
            questions << QString::fromStdString(one->question());
            words << wordsOfMeasurement(*one);
        }
    fillChoice(*kept_, questions, words, {});
    kept_->setCurrentIndex(shown ? kept_->findData(QString::fromStdString(shown->question())) : -1);
    export_->setVisible(!questions.isEmpty());
}

void InterventionsPanel::openExport() {
    openExportDialog({tr("Export the measurement"), tableFilters(), tr("measurement")}, this,
                     [this](const QString& file) { exportTo(file); });
}

void InterventionsPanel::exportTo(const QString& file) {
    if (!effects_->shown().a) return;
    pair_.studio().writeExport(file, [table = effects_->table(), file] { return tableBytes(table, file); });
}

/// Ticks the interventions that are in force in the training.
void InterventionsPanel::showTraining() {
    const auto& detail = pair_.a().detail();
    const auto state = detail ? runStateFromName(detail->record.state) : std::nullopt;
    std::optional<std::vector<Intervention>> inForce;
    if (state == RunState::Running || state == RunState::Paused)
        inForce = detail->interventions().value_or(InterventionsAt{}).inForce;
    if (inForce == inForce_) return;
    inForce_ = inForce;
    if (inForce)
        for (const Intervention& one : *inForce) list_->add(one);
}

InterventionChange InterventionsPanel::trainingChange() const {
    const std::vector<Intervention> wanted = list_->active(), now = inForce_.value_or(std::vector<Intervention>{});
    const auto without = [](const std::vector<Intervention>& all, const std::vector<Intervention>& those) {
        std::vector<Intervention> rest;
        std::copy_if(all.begin(), all.end(), std::back_inserter(rest),
                     [&](const Intervention& one) { return std::find(those.begin(), those.end(), one) == those.end(); });
        return rest;
    };
    return {without(wanted, now), without(now, wanted)};
}

/// Asks the user before the first change of a run, after which the run is no longer comparable. The question is about the run
/// and the ticks of now: before the answer the panel may show another run, or the run may end.
void InterventionsPanel::askToChangeTraining() {
    if (!pair_.a().detail()) return;
    const Run& run = pair_.a().detail()->record;
    const auto change = [this, ref = run.ref, wanted = trainingChange()] {
        const auto done = [panel = QPointer(this)] {
            if (panel) Q_EMIT panel->trainingChanged();
        };
        pair_.studio().commander().intervene(ref, wanted, {done, {}});
    };
    if (run.intervened >= 0) return change();
    auto* question = new QMessageBox(QMessageBox::Question, tr("Change the training"),
                                     tr("Change the training of %1?").arg(runLabel(run)), QMessageBox::Cancel, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(
        tr("From its next step on, it trains and is evaluated with the ticked interventions. The run is marked as "
           "not comparable from there on, also after they are undone."));
    QPushButton* yes = question->addButton(tr("Change the training"), QMessageBox::AcceptRole);
    yes->setObjectName(QStringLiteral("confirmChange"));
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, change);
    question->open();
}

}  // namespace heddle::ui
