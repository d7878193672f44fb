// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/run_curves.h"

#include "ui/pages/watch/system_panel.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/pages/watch/x_axis.h"
#include "ui/panels/curve_legend.h"
#include "ui/plot/axis_fit.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QSplitter>

#include <limits>
#include <set>

namespace heddle::ui::watch {
namespace {

constexpr int kAgeMs = 1000;

/// Train smoothed, and valid.
std::vector<CurveKind> kindsOf(const std::string& metric, double factor) {
    return {{SeriesId::Source::Rows, metric, "", factor, LineRule::Solid, RunCurves::tr("%1, train")},
            {SeriesId::Source::Evaluations, "valid." + metric, "", factor, LineRule::Valid, RunCurves::tr("%1, valid")}};
}

}  // namespace

RunCurves::RunCurves(Studio& studio, const RunDetails& details, WatchBar& bar, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      details_(details),
      bar_(bar),
      loss_(new CurvePanel(tr("Loss"), studio.databases(), this)),
      accuracy_(new CurvePanel(tr("Accuracy"), studio.databases(), this)),
      throughput_(new CurvePanel(tr("Throughput"), studio.databases(), this)),
      system_(new SystemPanel(studio.databases(), this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      legend_(new CurveLegend(CurveLegend::Form::Line, this)),
      wholePlan_(makeAction(this, {"wholePlan",
                                   tr("Show whole plan on the x-axis"),
                                   {},
                                   {},
                                   tr("Extend the x-axis to the last planned step, beyond the end of the data")})),
      pace_(studio.databases(), this) {
    loss_->plot().setValueFit(ValueFit::Robust);
    loss_->plot().setValueBounds(0, std::numeric_limits<double>::infinity());
    loss_->plot().setStepText([this](Step step) { return stepWords(step, "loss", 1, 3); });
    accuracy_->plot().setDecimals(2);
    accuracy_->plot().setValueBounds(0, 100);
    accuracy_->plot().setStepText([this](Step step) { return stepWords(step, "accuracy", 100, 2); });
    throughput_->setObjectName(QStringLiteral("throughput"));
    throughput_->titleRow()->hide();  // its tab has the title
    throughput_->plot().setDecimals(0);
    throughput_->plot().setValueTitle(tr("tokens/s"), CurvePlot::TitlePlace::Axis);
    wholePlan_->setCheckable(true);
    splitter_->addWidget(loss_);
    splitter_->addWidget(accuracy_);
    splitter_->setSizes({px(560), px(560)});
    splitter_->setChildrenCollapsible(false);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(splitter_, 1);
    column->addWidget(legend_);
    connect(wholePlan_, &QAction::toggled, this, &RunCurves::showLines);
    connect(&pace_, &SeriesStore::changed, this, [this] {
        showLines();  // the axis ends at a later step
        showAxis();
        updateAge();
    });
    connect(throughput_, &CurvePanel::drawnChanged, this, &RunCurves::showAxis);
    const auto report = [this](const Problem& problem) { studio_.report(problem); };
    for (const Panel* panel : {throughput_, static_cast<CurvePanel*>(system_)}) connect(panel, &Panel::failed, this, report);
    connect(&pace_, &SeriesStore::failed, this, report);
    connect(&studio.verbs(), &PendingVerbs::changed, this, &RunCurves::showLegend);
    ageTimer_.setTimerType(Qt::VeryCoarseTimer);  // it fires together with other timers of one second
    ageTimer_.setInterval(kAgeMs);
    connect(&ageTimer_, &QTimer::timeout, this, &RunCurves::updateAge);
    connectBar();
}

void RunCurves::connectBar() {
    connect(&bar_, &WatchBar::axisChanged, this, &RunCurves::showAxis);
    connect(&bar_, &WatchBar::smoothingChanged, this, [this](int steps) {
        for (CurvePanel* panel : panels()) panel->plot().setSmoothing(steps);
        showLegend();
    });
    connect(bar_.logAction(), &QAction::toggled, this,
            [this](bool on) { loss_->plot().setValueScale(on ? AxisScale::Log : AxisScale::Linear); });
    for (CurvePanel* panel : panels())
        connect(&panel->plot(), &CurvePlot::cursorMoved, this, [this, panel](std::optional<double> step) {
            for (CurvePanel* other : panels())
                if (other != panel && bar_.linkAction()->isChecked()) other->plot().setCursor(step);
        });
}

void RunCurves::showEvent(QShowEvent*) { ageTimer_.start(); }
void RunCurves::hideEvent(QHideEvent*) { ageTimer_.stop(); }

QList<CurvePanel*> RunCurves::panels() const { return {loss_, accuracy_, throughput_, system_}; }

const Run* RunCurves::current() const { return studio_.databases().run(studio_.currentRun()); }

void RunCurves::setRuns(const std::vector<RunRef>& runs) {
    runs_ = runs;
    const RunRef& ref = studio_.currentRun();
    pace_.setWanted({{ref, "step_seconds", "", 1}});
    showLines();
    showUnits();
    showAxis();
    showLegend();
    updateAge();
}

void RunCurves::refresh() {
    pace_.refresh();
    for (CurvePanel* panel : panels()) panel->refresh();
}

void RunCurves::resetZoom() {
    loss_->plot().resetZoom();
    accuracy_->plot().resetZoom();
}

void RunCurves::showLines() {
    CurveSubject subject;
    Step last = 0;
    for (const RunRef& id : runs_)
        if (const Run* run = studio_.databases().run(id)) {
            subject.runs.push_back({.run = id, .label = runLabel(*run), .order = studio_.colours().orderOf(*run)});
            last = std::max(last, endOfAxis(*run));
        }
    for (CurvePanel* panel : {loss_, accuracy_}) {
        panel->plot().setExpectedSteps({0, last});
        subject.kinds = panel == loss_ ? kindsOf("loss", 1) : kindsOf("accuracy", 100);
        panel->setCurves(subject);
    }
    subject.runs.clear();
    if (const Run* run = current())
        subject.runs.push_back({.run = run->ref, .label = runLabel(*run), .order = studio_.colours().orderOf(*run)});
    subject.kinds = {{.name = "tokens_per_second", .rule = LineRule::Solid}};
    throughput_->setCurves(subject);
    system_->setRun(subject.runs.empty() ? std::nullopt : std::optional(subject.runs.front()));
    const auto detail = details_.of(studio_.currentRun());
    const QList<CurveEvent> flags = detail ? detail->flags() : QList<CurveEvent>{};
    for (CurvePanel* panel : {loss_, accuracy_}) panel->plot().setEvents(flags);
    legend_->setFlag(flags.isEmpty() ? std::nullopt : std::optional(flags.last()));
}

/// Shows the units of the drawn runs' losses and accuracies. They are known from the signature of the first evaluation.
void RunCurves::showUnits() {
    QStringList losses, accuracies;
    std::set<double> smoothings;
    for (const RunRef& id : runs_) {
        const auto detail = details_.of(id);
        if (!detail) continue;
        const auto loss = detail->counted("loss"), objective = detail->counted("objective"),
                   share = detail->counted("accuracy");
        if (loss) losses << unitText(*loss);
        if (objective && objective->smoothing > 0) smoothings.insert(objective->smoothing);
        //: A unit in percent: "share of tokens right, %".
        if (share) accuracies << tr("%1, %").arg(unitText(*share));
    }
    for (QStringList* units : {&losses, &accuracies}) {
        units->removeDuplicates();
        units->removeAll(QString());
    }
    const QString loss = losses.join(QStringLiteral("; ")), accuracy = accuracies.join(QStringLiteral("; "));
    loss_->plot().setValueTitle(loss.isEmpty() ? tr("loss") : tr("loss, %1").arg(loss));
    accuracy_->plot().setValueTitle(accuracy.isEmpty() ? tr("accuracy, %") : accuracy);
    QStringList smoothing;
    for (const double one : smoothings) smoothing << number(one, 2);
    loss_->setNote(
        smoothing.isEmpty()
            ? loss
            : tr("%1; train with label smoothing %2, valid without").arg(loss, smoothing.join(QStringLiteral(", "))));
    accuracy_->setNote(accuracy);
}

/// The last step of the x-axis: the end of the data, with room for more while the run is active, or the end of the plan.
Step RunCurves::endOfAxis(const Run& run) const {
    const auto state = runStateFromName(run.state);
    const bool isOver = !state || isFinal(*state);
    const Step planned = std::max(run.totalSteps, run.step);
    if (wholePlan_->isChecked() || (run.step == 0 && !isOver)) return planned;
    if (isOver) return run.step;
    const Step soon = Step(reachOf(double(run.step)));
    return run.totalSteps > 0 ? std::min(soon, planned) : soon;
}

void RunCurves::showAxis() {
    const RunRef& ref = studio_.currentRun();
    const auto detail = details_.of(ref);
    Pace pace;
    pace.stepsPerEpoch = detail ? detail->stepsPerEpoch : 0;
    pace.stepSeconds = pace_.rows({ref, "step_seconds", "", 1});
    pace.tokensPerSecond = throughput_->rows({ref, "tokens_per_second", "", 1});
    pace.run = current() ? runLabel(*current()) : QString();
    QList<XAxis> possible{XAxis::Steps};
    if (pace.stepsPerEpoch > 0) possible << XAxis::Epoch;
    if (pace.stepSeconds->size() > 1 && pace.tokensPerSecond->size() > 1) possible << XAxis::Tokens << XAxis::Time;
    bar_.setAxes(possible);
    const XAxis kind = bar_.axis();
    // Steps and epochs never change; time and tokens grow with the run.
    const std::string key =
        std::to_string(int(kind)) + '/' + std::to_string(pace.stepsPerEpoch) + '/' +
        (kind == XAxis::Tokens || kind == XAxis::Time ? ref.key().toStdString() + std::to_string(pace.stepSeconds->size()) +
                                                            '/' + std::to_string(pace.tokensPerSecond->size())
                                                      : std::string());
    if (key == axisKey_) return;
    axisKey_ = key;
    const auto axis = axisFor(kind, pace);
    for (CurvePanel* panel : panels()) panel->plot().setStepAxis(axis.value_or(StepAxis()));
}

/// "step 9,988, epoch 44" and in the next line "valid difference −0.045 from eau-base s1": the difference between the current
/// run and the first compared run at that step, "–" if one of them has no value.
QString RunCurves::stepWords(Step step, const char* metric, double factor, int decimals) const {
    QString words = tr("step %1").arg(count(step));
    const auto detail = details_.of(studio_.currentRun());
    if (!detail) return words;
    if (const auto epoch = detail->epochOf(step)) words += tr(", epoch %1").arg(count(*epoch));
    for (const RunRef& id : runs_) {
        const auto other = details_.of(id);
        if (id == studio_.currentRun() || !other) continue;
        const auto own = detail->evaluatedAt("valid", metric, step), theirs = other->evaluatedAt("valid", metric, step);
        const QString difference =
            own && theirs ? signedNumber(factor * (*own - *theirs), decimals) : number(std::nullopt, decimals);
        words += QLatin1Char('\n') + tr("valid difference %1 from %2").arg(difference, runLabel(*studio_.databases().run(id)));
        break;
    }
    return words;
}

void RunCurves::showLegend() {
    QList<LegendEntry> entries;
    for (const RunRef& id : runs_)
        if (const Run* run = studio_.databases().run(id))
            entries.append({runLabel(*run), studio_.colours().orderOf(*run), markOf(*run),
                            id == studio_.currentRun() ? age_ : QString(), studio_.stateWord(*run)});
    legend_->setEntries(entries, bar_.smoothing() > 0 ? CurveLegend::Rule::Smoothed : CurveLegend::Rule::Raw);
}

/// Shows "no new row for 14 s" after 5 s plus twice the mean interval between rows.
void RunCurves::updateAge() {
    const Run* run = current();
    const RunRef& ref = studio_.currentRun();
    const auto rows = pace_.rows({ref, "step_seconds", "", 1});
    const Step last = rows->size() == 0 ? -1 : rows->range().last;
    if (ref != lastRowOf_ || !run || run->state != heddle::name(RunState::Running)) {
        lastRowOf_ = ref;
        lastRow_ = last;
        meanInterval_ = 0;
        sinceRow_.start();
    } else if (last != lastRow_) {
        const double gap = double(sinceRow_.restart()) / 1000;
        meanInterval_ = meanInterval_ == 0 ? gap : meanInterval_ + 0.2 * (gap - meanInterval_);
        lastRow_ = last;
    }
    const double age = double(sinceRow_.elapsed()) / 1000;
    const bool stale = run && run->state == heddle::name(RunState::Running) && age > 5 + 2 * meanInterval_;
    const QString words = stale ? tr("no new row for %1").arg(duration(age)) : QString();
    if (words == age_) return;
    age_ = words;
    showLegend();
}

}  // namespace heddle::ui::watch
