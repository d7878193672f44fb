// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/watch/watch_page.h"

#include "ui/shell/icons.h"
#include "ui/shell/turns.h"
#include "ui/watch/attention_card.h"
#include "ui/watch/gates_card.h"
#include "ui/watch/scrub_bar.h"
#include "ui/watch/sparsity_card.h"
#include "ui/watch/watch_bar.h"

#include <QAction>
#include <QApplication>

namespace heddle::ui {
namespace {

constexpr int kAgeMs = 1000, kSmoothing = 50;

}  // namespace

WatchPage::WatchPage(Studio& studio)
    : Page(studio, PageId::Watch, QStringLiteral("watch")),
      series_(studio.feed(), this),
      book_(studio.feed(), this),
      rates_(new watch::Question(
          studio.feed(), [this] { return askRates(); }, this)),
      verbs_(new RunVerbs(studio, this)),
      bar_(new watch::WatchBar(*verbs_, this)) {
    addToolBar(bar_);
    buildMiddle();
    buildDocks();
    buildActions();
    wireBar();
    linkCursors();
    bookTimer_.setSingleShot(true);
    connect(&bookTimer_, &QTimer::timeout, this, &WatchPage::refreshBook);
    ageTimer_.setTimerType(Qt::VeryCoarseTimer);  // with the others that look once a second
    ageTimer_.setInterval(kAgeMs);
    connect(&ageTimer_, &QTimer::timeout, this, &WatchPage::watchAge);

    Feed& feed = studio.feed();
    connect(&feed, &Feed::opened, this, [this] {
        seenRun_.clear();
        hidden_.clear();
        valid_.clear();
        refresh();
    });
    connect(&feed, &Feed::changed, this, &WatchPage::refreshRows);
    connect(&feed, &Feed::runsChanged, this, &WatchPage::refresh);
    connect(&feed, &Feed::progressed, this, &WatchPage::showProgress);
    const auto takeRun = [this] { verbs_->setRuns({this->studio().currentRun()}); };
    takeRun();
    connect(&studio, &Studio::currentRunChanged, this, takeRun);  // also while another page is shown
    connect(&studio, &Studio::currentRunChanged, this, &WatchPage::refresh);
    connect(&studio, &Studio::comparedRunsChanged, this, &WatchPage::refresh);
    connect(&studio.verbs(), &PendingVerbs::changed, this, &WatchPage::showPending);
    connect(&studio, &Studio::stylesChanged, this, [this] {
        if (shown_) showDetails();
    });
    connect(&series_, &watch::SeriesStore::changed, this, &WatchPage::showCurves);
    connect(&book_, &watch::RunBook::changed, this, &WatchPage::showDetails);
    connect(scrub_, &watch::ScrubBar::stepChanged, this, &WatchPage::showSubject);
    bar_->setSmoothing(kSmoothing);
    rememberLayout();
    refresh();
}

void WatchPage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) {
        ageTimer_.stop();
        bookTimer_.stop();
        if (scrub_->isPlaying()) scrub_->togglePlay();
        return;
    }
    ageTimer_.start();
    ++entering_;
    inTurns(this, {[this] {  // when the page stands
                --entering_;
                if (shown_) refresh();
            }});
    if (!isAncestorOf(QApplication::focusWidget())) loss_->plot().setFocus();
}

bool WatchPage::isSettled() const {
    if (entering_ > 0) return false;
    for (const watch::Question* question : findChildren<watch::Question*>())
        if (!question->isIdle()) return false;
    for (const CurvePlot* plot : findChildren<CurvePlot*>())
        if (!plot->isSettled()) return false;
    return true;
}

void WatchPage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.setValue(QStringLiteral("watch/axis"), int(bar_->axis()));
    settings.setValue(QStringLiteral("watch/log_y"), bar_->logAction()->isChecked());
    settings.setValue(QStringLiteral("watch/smoothing"), bar_->smoothing());
    settings.setValue(QStringLiteral("watch/link"), bar_->linkAction()->isChecked());
    attention_->saveSession(settings);
    gates_->saveSession(settings);
    sparsity_->saveSession(settings);
}

void WatchPage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    bar_->setSmoothing(settings.value(QStringLiteral("watch/smoothing"), kSmoothing).toInt());
    if (settings.value(QStringLiteral("watch/log_y"), false).toBool() != bar_->logAction()->isChecked())
        bar_->logAction()->trigger();
    bar_->linkAction()->setChecked(settings.value(QStringLiteral("watch/link"), true).toBool());
    bar_->wishAxis(watch::XAxis(settings.value(QStringLiteral("watch/axis"), 0).toInt()));
    attention_->restoreSession(settings);
    gates_->restoreSession(settings);
    sparsity_->restoreSession(settings);
}

const storage::RunRecord* WatchPage::currentRecord() const { return studio().feed().run(studio().currentRun()); }
std::shared_ptr<const watch::RunDetail> WatchPage::currentDetail() const { return book_.of(studio().currentRun()); }

/// Where the scrubber stands; where there are no snapshots, where the run is.
Step WatchPage::namedStep() const {
    const storage::RunRecord* run = currentRecord();
    return scrub_->scrubber().snapshots().empty() ? (run ? run->step : 0) : scrub_->step();
}

}  // namespace heddle::ui
