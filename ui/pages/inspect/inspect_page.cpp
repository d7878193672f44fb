// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/inspect_page.h"

#include "ui/data/run_actions.h"
#include "ui/pages/inspect/inspect_bar.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"

#include <QApplication>
#include <QSettings>

#include <algorithm>

namespace heddle::ui {

InspectPage::InspectPage(Studio& studio, Inspector::Opener openModel)
    : Page(studio, PageId::Inspect, QStringLiteral("inspect")),
      details_(studio.databases(), this),
      inspector_(std::move(openModel)),
      a_(new InspectedRun(studio.databases(), inspector_, this)),
      b_(new InspectedRun(studio.databases(), inspector_, this)),
      probes_(new Query(
          studio.databases(), [this] { return probesRequest(); },
          [this](const Problem& problem) { this->studio().report(problem); }, this)),
      onRunA_(new RunActions(studio, this)),
      bar_(new inspect::InspectBar(studio, this)) {
    addToolBar(bar_);
    build();
    buildActions();
    connectAll();
    rememberLayout();
    showMaps();
}

void InspectPage::setShown(bool shown) {
    shown_ = shown;
    if (!shown && scrub_->isPlaying()) scrub_->togglePlay();
    for (InspectedRun* run : {a_, b_}) run->setActive(shown);
    if (!shown) return;
    refresh();
    if (!isAncestorOf(QApplication::focusWidget())) grid_->grid().setFocus();
}

bool InspectPage::isSettled() const {
    for (const Query* query : findChildren<Query*>())
        if (!query->isIdle()) return false;
    return a_->isSettled() && b_->isSettled() && !measuring_;
}

void InspectPage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.setValue(QStringLiteral("inspect/family"), int(bar_->family()));
    settings.setValue(QStringLiteral("inspect/probe"), sentence_->probe());
    for (const Panel* panel : panels_.panels()) panel->saveSession(settings);
}

void InspectPage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    bar_->setFamily(MapFamily(std::clamp(settings.value(QStringLiteral("inspect/family")).toInt(), 0, kMapFamilies - 1)));
    sentence_->chooseProbe(settings.value(QStringLiteral("inspect/probe")).toInt());
    for (Panel* panel : panels_.panels()) panel->restoreSession(settings);
}

const Run* InspectPage::record(const InspectedRun& run) const { return run.detail() ? &run.detail()->record : nullptr; }

}  // namespace heddle::ui
