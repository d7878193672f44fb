// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/watch_page.h"

#include "ui/pages/watch/card_choice.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QApplication>

namespace heddle::ui {
namespace {

constexpr int kAgeMs = 1000, kSuggested = -1;

}  // namespace

WatchPage::WatchPage(Studio& studio)
    : Page(studio, PageId::Watch, QStringLiteral("watch")),
      series_(studio.databases(), this),
      details_(studio.databases(), this),
      rates_(new Query(
          studio.databases(), [this] { return ratesRequest(); },
          [this](const Problem& problem) {
              if (ratesTold_.isNew(QString::number(ratesOf_), problem)) this->studio().report(problem);
              rates_->request();  // of the other databases
          },
          this)),
      onRuns_(new RunActions(studio, this)),
      bar_(new watch::WatchBar(*onRuns_, this)) {
    addToolBar(bar_);
    buildMiddle();
    buildDocks();
    buildActions();
    wireBar();
    linkCursors();
    detailsTimer_.setSingleShot(true);
    connect(&detailsTimer_, &QTimer::timeout, this, &WatchPage::refreshDetails);
    ageTimer_.setTimerType(Qt::VeryCoarseTimer);  // fires together with other timers of a second
    ageTimer_.setInterval(kAgeMs);
    connect(&ageTimer_, &QTimer::timeout, this, &WatchPage::watchAge);

    Databases& databases = studio.databases();
    for (const auto news : {&Databases::opened, &Databases::closed})
        connect(&databases, news, this, [this](int number) { forget(number); });
    connect(&databases, &Databases::changed, this, &WatchPage::refreshRows);
    connect(&databases, &Databases::runsChanged, this, &WatchPage::refresh);
    connect(&databases, &Databases::progressed, this, &WatchPage::showProgress);
    const auto takeRun = [this] { onRuns_->setRuns({this->studio().currentRun()}); };
    takeRun();
    connect(&studio, &Studio::currentRunChanged, this, takeRun);  // also while another page is shown
    connect(&studio, &Studio::currentRunChanged, this, &WatchPage::refresh);
    connect(&studio, &Studio::comparedRunsChanged, this, &WatchPage::refresh);
    connect(&studio.verbs(), &PendingVerbs::changed, this, &WatchPage::showPending);
    connect(&studio, &Studio::stylesChanged, this, [this] {
        if (shown_) showDetails();
    });
    connect(&series_, &SeriesStore::changed, this, &WatchPage::showCurves);
    connect(&details_, &RunDetails::changed, this, &WatchPage::showDetails);
    const auto report = [this](const Problem& problem) { this->studio().report(problem); };
    connect(&series_, &SeriesStore::failed, this, report);
    connect(&details_, &RunDetails::failed, this, report);
    connect(scrub_, &ScrubBar::stepChanged, this, &WatchPage::showSubject);
    rememberLayout();
    refresh();
}

/// A database was opened or closed: runs in training in it have not just started.
void WatchPage::forget(int database) {
    live_.reset();
    std::erase_if(hidden_, [database](const RunRef& run) { return run.database == database; });
    std::erase_if(valid_, [database](const auto& entry) { return entry.first.database == database; });
    std::erase_if(ratesRead_, [database](const auto& entry) { return entry.first.database == database; });
    refresh();
}

void WatchPage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) {
        ageTimer_.stop();
        detailsTimer_.stop();
        if (scrub_->isPlaying()) scrub_->togglePlay();
        return;
    }
    ageTimer_.start();
    refresh();
    if (!isAncestorOf(QApplication::focusWidget())) loss_->plot().setFocus();
}

bool WatchPage::isSettled() const {
    for (const Query* question : findChildren<Query*>())
        if (!question->isIdle()) return false;
    for (const CurvePlot* plot : findChildren<CurvePlot*>())
        if (!plot->isSettled()) return false;
    return true;
}

void WatchPage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.setValue(QStringLiteral("watch/axis"), int(bar_->axis()));
    settings.setValue(QStringLiteral("watch/log_y"), bar_->logAction()->isChecked());
    settings.setValue(QStringLiteral("watch/smoothing"), bar_->smoothingIsChosen() ? bar_->smoothing() : kSuggested);
    settings.setValue(QStringLiteral("watch/whole_plan"), wholePlan_->isChecked());
    settings.setValue(QStringLiteral("watch/ignore_outliers"), ignoreOutliers_->isChecked());
    settings.setValue(QStringLiteral("watch/link"), bar_->linkAction()->isChecked());
    settings.setValue(QStringLiteral("watch/follow"), bar_->followAction()->isChecked());
    for (const Panel* panel : cards_.panels()) panel->saveSession(settings);
}

void WatchPage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    const int smoothing = settings.value(QStringLiteral("watch/smoothing"), kSuggested).toInt();
    if (smoothing >= 0) bar_->setSmoothing(smoothing);
    if (settings.value(QStringLiteral("watch/log_y"), false).toBool() != bar_->logAction()->isChecked())
        bar_->logAction()->trigger();
    wholePlan_->setChecked(settings.value(QStringLiteral("watch/whole_plan"), false).toBool());
    ignoreOutliers_->setChecked(settings.value(QStringLiteral("watch/ignore_outliers"), true).toBool());
    bar_->linkAction()->setChecked(settings.value(QStringLiteral("watch/link"), true).toBool());
    bar_->followAction()->setChecked(settings.value(QStringLiteral("watch/follow"), true).toBool());
    bar_->wishAxis(XAxis(settings.value(QStringLiteral("watch/axis"), 0).toInt()));
    for (Panel* panel : cards_.panels()) panel->restoreSession(settings);
}

const Run* WatchPage::currentRecord() const { return studio().databases().run(studio().currentRun()); }
std::shared_ptr<const RunDetail> WatchPage::currentDetail() const { return details_.of(studio().currentRun()); }

/// The step of the scrubber; without snapshots that of the run.
Step WatchPage::namedStep() const {
    const Run* run = currentRecord();
    return scrub_->scrubber().snapshots().empty() ? (run ? run->step : 0) : scrub_->step();
}

}  // namespace heddle::ui
