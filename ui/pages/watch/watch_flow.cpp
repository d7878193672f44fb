// SPDX-License-Identifier: GPL-3.0-or-later
// From the database into the views.
#include "ui/pages/watch/legend_row.h"
#include "ui/pages/watch/state_words.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/sample_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/text/number.h"

#include <QAction>
#include <QLabel>
#include <QListView>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>
#include <numeric>

namespace heddle::ui {

using namespace watch;
namespace {

constexpr int kBookMs = 1950, kBookShare = 50;
constexpr int kLastMs = 1300;  // without news for this long, none are on their way
constexpr Step kRateSteps = 200;

bool isLive(const storage::RunRecord& run) {
    return run.state == name(RunState::Running) || run.state == name(RunState::Stopping);
}

}  // namespace

/// The shown runs or the state of a run have changed.
void WatchPage::refresh() {
    if (!shown_) return;
    chooseRun();
    showRuns();
    details_.setRuns(drawn());
    requestSeries();
    detailsAreOld_ = true;
    refreshDetails();
    showDetails();
}

/// A program committed something.
void WatchPage::refreshRows() {
    if (!shown_) return;
    series_.refresh();
    const std::vector<RunRef> runs = drawn();
    const bool unknown = std::any_of(runs.begin(), runs.end(), [this](const RunRef& run) { return !details_.of(run); });
    detailsAreOld_ = true;
    if (unknown || detailsTimer_.remainingTime() <= kLastMs) refreshDetails();
}

/// Reads details, which are thousands of rows, at most every other second and in a fiftieth of the time: when news wake the
/// window anyway, or some time after the last news.
void WatchPage::refreshDetails() {
    if (!std::exchange(detailsAreOld_, false)) return;
    details_.refresh();
    for (const Run* run : studio().databases().runs())
        if (isLive(*run)) ratesDue_.insert(run->ref.database);
    rates_->request();
    detailsTimer_.start(std::max(kBookMs, int(kBookShare * details_.readingMs())) + kLastMs);
}

/// Steps of runs have grown.
void WatchPage::showProgress() {
    if (shown_) queue_.setRuns(studio().databases().runs());
}

/// Chooses the run in training, else the newest, when a database was opened. A current run that no database has yet was just
/// started and stays.
void WatchPage::chooseRun() {
    const auto& runs = studio().databases().runs();
    const RunRef& current = studio().currentRun();
    followRuns();
    if (currentRecord()) seenRun_ = current;
    if (runs.empty() || currentRecord() || (!current.empty() && current != seenRun_)) return;
    const auto live = std::find_if(runs.begin(), runs.end(), [](const Run* run) { return isLive(*run); });
    studio().setCurrentRun(live == runs.end() ? runs.front()->ref : (*live)->ref);
}

/// Shows the newest of the runs that started since the page last looked.
void WatchPage::followRuns() {
    std::set<RunRef> live;
    const Run* started = nullptr;
    for (const Run* run : studio().databases().runs()) {  // newest first
        if (!isLive(*run)) continue;
        if (live_ && !live_->contains(run->ref) && !started) started = run;
        live.insert(run->ref);
    }
    live_ = std::move(live);
    if (started && bar_->followAction()->isChecked()) studio().setCurrentRun(started->ref);
}

void WatchPage::chooseByHand(const RunRef& run) {
    if (run == studio().currentRun()) return;
    const Run* record = studio().databases().run(run);
    if (record && !isLive(*record)) bar_->followAction()->setChecked(false);
    studio().setCurrentRun(run);
}

std::vector<RunRef> WatchPage::drawn() const {
    std::vector<RunRef> runs;
    const auto add = [&](const RunRef& run) {
        if (studio().databases().run(run) && std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    };
    add(studio().currentRun());
    for (const RunRef& run : studio().comparedRuns()) add(run);
    return runs;
}

void WatchPage::requestSeries() {
    std::vector<SeriesId> wanted;
    for (const RunRef& run : drawn()) {
        if (!hidden_.contains(run)) {
            wanted.push_back({run, "loss", "", 1});
            wanted.push_back({run, "accuracy", "", 100});
        }
        if (run != studio().currentRun()) continue;
        wanted.push_back({run, "step_seconds", "", 1});
        wanted.push_back({run, "tokens_per_second", "", 1});
    }
    series_.setWanted(wanted);
    series_.refresh();
}

/// Reads the seconds per step over the last 200 steps of every run in training, one database after the other.
Query::Request WatchPage::ratesRequest() {
    if (ratesDue_.empty()) return {};
    const int database = *ratesDue_.begin();
    ratesDue_.erase(database);
    ratesOf_ = database;
    std::vector<std::pair<RunRef, Step>> live;
    for (const Run* run : studio().databases().runs())
        if (isLive(*run) && run->ref.database == database) live.emplace_back(run->ref, run->step);
    return {database, [this, live, database](storage::RunQuery& query) -> Query::Apply {
                std::map<RunRef, double> rates;
                for (const auto& [run, step] : live) {
                    const auto points = query.points(run.id, "step_seconds", "", std::max<Step>(0, step - kRateSteps), step);
                    if (points.empty()) continue;
                    const double sum = std::accumulate(points.begin(), points.end(), 0.0,
                                                       [](double all, const auto& point) { return all + double(point.value); });
                    rates[run] = sum / double(points.size());
                }
                return [this, rates, database] {
                    ratesTold_.succeeded(QString::number(database));
                    for (const auto& [run, rate] : rates) ratesRead_[run] = rate;
                    queue_.setRates(ratesRead_);
                    queueView_->setCurrentIndex(queue_.index(queue_.rowOf(studio().currentRun())));
                    rates_->request();
                };
            }};
}

std::map<RunRef, QString> WatchPage::pendingWords() const {
    std::map<RunRef, QString> words;
    for (const Run* run : studio().databases().runs())
        if (const auto pending = studio().verbs().of(run->ref)) words[run->ref] = pendingWord(*pending);
    return words;
}

void WatchPage::showRuns() {
    const auto& runs = studio().databases().runs();
    stack_->setCurrentIndex(runs.empty() ? 0 : 1);
    bar_->setRuns(runs, studio().currentRun());
    if (const auto* run = currentRecord()) bar_->suggestSmoothing(run->step);
    bar_->setEnabled(!runs.empty());
    {
        const QSignalBlocker quiet(queueView_->selectionModel());
        queue_.setCompared(studio().comparedRuns());
        queue_.setPending(pendingWords());
        queue_.setRuns(runs);
    }
    const int row = queue_.rowOf(studio().currentRun());
    queueView_->setCurrentIndex(queue_.index(row));
    earlier_->setEnabled(queue_.movable(row).first < 0);
    later_->setEnabled(queue_.movable(row).second > 0);
    nameTargets();
}

/// Verbs have become pending or are not pending any more.
void WatchPage::showPending() {
    if (!shown_) return;
    showRuns();
    showLegend();
}

/// Shows everything that depends on the details of the drawn runs.
void WatchPage::showDetails() {
    if (!shown_) return;
    for (const RunRef& run : drawn()) {
        const auto detail = details_.of(run);
        Valid& valid = valid_[run];
        if (!detail || valid.of == detail) continue;
        valid = {detail, detail->evaluated("valid", "loss", 1), detail->evaluated("valid", "accuracy", 100)};
    }
    const auto detail = currentDetail();
    const Run* run = currentRecord();
    scrub_->setSnapshots(detail ? detail->snapshotSteps : std::vector<int>{},
                         run ? int(std::max(run->totalSteps, run->step)) : 0);
    const QList<CurveEvent> flags = detail ? detail->flags() : QList<CurveEvent>{};
    const auto best = detail ? detail->bestStep() : std::nullopt;
    scrub_->scrubber().setEvents(flags);
    scrub_->scrubber().setBest(best ? std::optional(int(*best)) : std::nullopt);
    for (CurvePanel* card : {loss_, accuracy_}) card->plot().setEvents(flags);
    if (detail != logOf_) log_.setDetail(detail);
    logOf_ = detail;
    showStrip();
    showSubject();
    showCurves();
    showLegend();
}

void WatchPage::showStrip() {
    const auto detail = currentDetail();
    auto words = detail ? stateWords(*detail) : std::nullopt;
    const std::string key = words ? words->key : std::string();
    if (!words || key == closedStrip_) {
        stripKey_ = key;
        return strip_->hide();
    }
    if (key == stripKey_ && strip_->isVisibleTo(this) && strip_->title() == words->title) return;
    stripKey_ = key;
    QList<QAction*> actions;
    if (words->hasFailed) actions << correct_;
    if (words->canResume) actions << &onRuns_->action(RunVerb::Resume);
    if (words->hasFailed) actions << openLog_ << copyDetails_;
    strip_->showMessage({words->kind, words->title, words->text, actions});
}

void WatchPage::showSubject() {
    if (!shown_) return;
    Subject subject;
    const Run* run = currentRecord();
    if (run) {
        subject.run = run->ref;
        subject.detail = currentDetail();
        subject.step = namedStep();
        subject.order = studio().orderOf(*run);
        subject.label = runLabel(*run);
    }
    for (const RunRef& other : drawn()) {
        if (other == subject.run || hidden_.contains(other)) continue;
        subject.other = other;
        subject.otherDetail = details_.of(other);
        subject.otherLabel = runLabel(*studio().databases().run(other));
        break;
    }
    for (Panel* panel : cards_.panels()) panel->setSubject(subject);
    samples_->setSubject(subject);
    const auto epoch = subject.detail ? subject.detail->epochOf(subject.step) : std::nullopt;
    const QString kept = tr("%1 kept").arg(count(qint64(scrub_->scrubber().snapshots().size())));
    scrub_->setNote(epoch ? tr("epoch %1; %2").arg(count(*epoch), kept) : kept);
    showList();
}

void WatchPage::showList() {
    std::vector<DrawnRun> rows;
    for (const RunRef& id : drawn()) {
        const Run& run = *studio().databases().run(id);
        const auto detail = details_.of(id);
        rows.push_back({id, runLabel(run), studio().orderOf(run),
                        detail ? detail->evaluatedAt("valid", "loss", namedStep()) : std::nullopt, hidden_.contains(id)});
    }
    curves_.setRuns(rows);
    curvesCaption_->setText(tr("valid loss at step %1").arg(count(namedStep())));
    curvesCaption_->setToolTip(
        tr("The evaluation of each run that holds at step %1; – for a run without one there").arg(count(namedStep())));
}

void WatchPage::showLegend() {
    QList<LegendEntry> entries;
    for (const RunRef& id : drawn()) {
        if (hidden_.contains(id)) continue;
        const Run& run = *studio().databases().run(id);
        entries.append({runLabel(run), studio().orderOf(run), markOf(run), id == studio().currentRun() ? age_ : QString(),
                        studio().stateWord(run)});
    }
    legend_->setEntries(entries, bar_->smoothing() > 0 ? LegendRow::Rule::Smoothed : LegendRow::Rule::Raw);
    const auto detail = currentDetail();
    const QList<CurveEvent> flags = detail ? detail->flags() : QList<CurveEvent>{};
    legend_->setFlag(flags.isEmpty() ? std::nullopt : std::optional(flags.last()));
}

}  // namespace heddle::ui
