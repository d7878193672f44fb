// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of the page: lines, x-axis, cross-hair, age of the newest row.
#include "ui/pages/watch/legend_row.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/plot/axis_fit.h"
#include "ui/text/number.h"
#include "ui/text/units.h"

#include <QAction>

#include <set>

namespace heddle::ui {

using namespace watch;

void WatchPage::addLines(const RunRef& id, QList<Line>& loss, QList<Line>& accuracy) {
    const Run* run = studio().databases().run(id);
    if (!run || hidden_.contains(id)) return;
    const std::string key = id.key().toStdString();
    Curve curve;
    curve.order = studio().orderOf(*run);
    curve.weight = curve.order == 0 ? LineWeight::Baseline : LineWeight::Normal;
    const auto add = [&](QList<Line>& lines, const SeriesId& series) {
        curve.label = tr("%1, train").arg(runLabel(*run));
        curve.rule = LineRule::Solid;
        curve.smoothed = true;
        curve.rows = series_.rows(series);
        lines.append({key + '/' + series.name, series_.generation(series), curve});
    };
    const auto addValid = [&](QList<Line>& lines, const std::shared_ptr<const Series>& rows, const char* name) {
        if (!rows || rows->size() == 0) return;
        curve.label = tr("%1, valid").arg(runLabel(*run));
        curve.rule = LineRule::Valid;
        curve.smoothed = false;
        curve.rows = rows;
        lines.append({key + "/valid " + name, 0, curve});
    };
    add(loss, {id, "loss", "", 1});
    add(accuracy, {id, "accuracy", "", 100});
    const auto valid = valid_.find(id);
    if (valid == valid_.end()) return;
    addValid(loss, valid->second.loss, "loss");
    addValid(accuracy, valid->second.accuracy, "accuracy");
}

void WatchPage::showCurves() {
    if (!shown_) return;
    QList<Line> loss, accuracy;
    Step last = 0;
    for (const RunRef& id : drawn()) {
        addLines(id, loss, accuracy);
        const Run* run = studio().databases().run(id);
        if (run && !hidden_.contains(id)) last = std::max(last, endOfAxis(*run));
    }
    for (CurvePanel* card : {loss_, accuracy_}) card->plot().setExpectedSteps({0, last});
    loss_->setLines(loss);
    accuracy_->setLines(accuracy);

    showUnits();
    const RunRef& current = studio().currentRun();
    const SeriesId rate{current, "tokens_per_second", "", 1};
    Curve curve;
    curve.label = currentRecord() ? runLabel(*currentRecord()) : QString();
    curve.smoothed = true;
    curve.order = currentRecord() ? studio().orderOf(*currentRecord()) : 1;
    curve.rule = LineRule::Solid;
    curve.rows = series_.rows(rate);
    const std::string rateKey =
        current.key().toStdString() + '/' + std::to_string(series_.generation(rate)) + '/' + std::to_string(curve.order);
    if (rateKey != throughputKey_) {
        throughputKey_ = rateKey;
        curve.id = ++throughputId_;
        throughput_->setCurves({curve});
    } else {
        throughput_->setRows(throughputId_, curve.rows);
    }
    showAxis();
    watchAge();
}

/// Says in which units the drawn runs' losses and accuracies are, once an evaluation has said it.
void WatchPage::showUnits() {
    QStringList losses, accuracies;
    std::set<double> smoothings;
    for (const RunRef& id : drawn()) {
        const auto detail = details_.of(id);
        if (!detail || hidden_.contains(id)) continue;
        const auto loss = detail->counted("loss"), objective = detail->counted("objective"),
                   share = detail->counted("accuracy");
        if (loss) losses << unitText(*loss);
        if (objective && objective->smoothing > 0) smoothings.insert(objective->smoothing);
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

/// The last step of the x-axis: where the data end or, of an active run, soon will; or where the plan ends.
Step WatchPage::endOfAxis(const Run& run) const {
    const auto state = runStateFromName(run.state);
    const bool isOver = !state || isFinal(*state);
    const Step planned = std::max(run.totalSteps, run.step);
    if (wholePlan_->isChecked() || (run.step == 0 && !isOver)) return planned;
    if (isOver) return run.step;
    const Step soon = Step(reachOf(double(run.step)));
    return run.totalSteps > 0 ? std::min(soon, planned) : soon;
}

void WatchPage::showAxis() {
    const auto detail = currentDetail();
    const RunRef& current = studio().currentRun();
    Pace pace;
    pace.stepsPerEpoch = detail ? detail->stepsPerEpoch : 0;
    pace.stepSeconds = series_.rows({current, "step_seconds", "", 1});
    pace.tokensPerSecond = series_.rows({current, "tokens_per_second", "", 1});
    pace.run = currentRecord() ? runLabel(*currentRecord()) : QString();
    QList<XAxis> possible{XAxis::Steps};
    if (pace.stepsPerEpoch > 0) possible << XAxis::Epoch;
    if (pace.stepSeconds->size() > 1 && pace.tokensPerSecond->size() > 1) possible << XAxis::Tokens << XAxis::Time;
    bar_->setAxes(possible);
    const XAxis kind = bar_->axis();
    // Steps and epochs never move; time and tokens grow with the run.
    const std::string key =
        std::to_string(int(kind)) + '/' + std::to_string(pace.stepsPerEpoch) + '/' +
        (kind == XAxis::Tokens || kind == XAxis::Time ? current.key().toStdString() + std::to_string(pace.stepSeconds->size()) +
                                                            '/' + std::to_string(pace.tokensPerSecond->size())
                                                      : std::string());
    if (key == axisKey_) return;
    axisKey_ = key;
    const auto axis = axisFor(kind, pace);
    for (CurvePlot* plot : plotsOverSteps()) plot->setStepAxis(axis.value_or(StepAxis()));
}

/// "step 9,988, epoch 44" and below it "valid difference −0.045 from eau-base s1": between the current run and the first
/// compared one at that step; "–" if one of them has no value.
QString WatchPage::stepWords(Step step, const char* metric, double factor, int decimals) const {
    QString words = tr("step %1").arg(count(step));
    const auto detail = currentDetail();
    if (!detail) return words;
    if (const auto epoch = detail->epochOf(step)) words += tr(", epoch %1").arg(count(*epoch));
    for (const RunRef& id : drawn()) {
        const auto other = details_.of(id);
        if (id == studio().currentRun() || hidden_.contains(id) || !other) continue;
        const auto own = detail->evaluatedAt("valid", metric, step), theirs = other->evaluatedAt("valid", metric, step);
        const QString difference =
            own && theirs ? signedNumber(factor * (*own - *theirs), decimals) : number(std::nullopt, decimals);
        words += QLatin1Char('\n') + tr("valid difference %1 from %2").arg(difference, runLabel(*studio().databases().run(id)));
        break;
    }
    return words;
}

void WatchPage::linkCursors() {
    for (CurvePlot* plot : plotsOverSteps())
        connect(plot, &CurvePlot::cursorMoved, this, [this, plot](std::optional<double> step) {
            if (!bar_->linkAction()->isChecked()) return;
            for (CurvePlot* other : plotsOverSteps())
                if (other != plot) other->setCursor(step);
        });
    loss_->plot().setStepText([this](Step step) { return stepWords(step, "loss", 1, 3); });
    accuracy_->plot().setStepText([this](Step step) { return stepWords(step, "accuracy", 100, 2); });
}

/// Shows "no new row for 14 s" after 5 s plus twice the usual interval.
void WatchPage::watchAge() {
    const Run* run = currentRecord();
    const RunRef& current = studio().currentRun();
    const auto rows = series_.rows({current, "step_seconds", "", 1});
    const Step last = rows->size() == 0 ? -1 : rows->range().last;
    if (current != lastRowOf_ || !run || run->state != heddle::name(RunState::Running)) {
        lastRowOf_ = current;
        lastRow_ = last;
        usualGap_ = 0;
        sinceRow_.start();
    } else if (last != lastRow_) {
        const double gap = double(sinceRow_.restart()) / 1000;
        usualGap_ = usualGap_ == 0 ? gap : usualGap_ + 0.2 * (gap - usualGap_);
        lastRow_ = last;
    }
    const double age = double(sinceRow_.elapsed()) / 1000;
    const bool stale = run && run->state == heddle::name(RunState::Running) && age > 5 + 2 * usualGap_;
    const QString words = stale ? tr("no new row for %1").arg(duration(age)) : QString();
    if (words == age_) return;
    age_ = words;
    showLegend();
}

}  // namespace heddle::ui
