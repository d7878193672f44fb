// SPDX-License-Identifier: GPL-3.0-or-later
// The variant that the draft is drawn over: the baseline, a preset, a saved variant or that of a run.
#include "ui/pages/compose/compose_page.h"
#include "ui/threads/background.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include <set>

namespace heddle::ui {
namespace {

constexpr int kMostRuns = 30;

}  // namespace

void ComposePage::makeOverMenu() {
    overMenu_ = new QMenu(tr("Draw over another variant"), this);
    connect(overMenu_, &QMenu::aboutToShow, this, &ComposePage::fillOverMenu);
}

void ComposePage::fillOverMenu() {
    overMenu_->clear();
    auto* group = new QActionGroup(overMenu_);
    const auto add = [&](QMenu* menu, const QString& words, bool isChosen, const std::function<void()>& choose) {
        QAction* action = menu->addAction(words, this, choose);
        action->setCheckable(true);
        action->setChecked(isChosen);
        group->addAction(action);
        return action;
    };
    const auto isOther = [this](const QString& name) { return over_.kind == OverKind::Other && over_.name == name; };
    add(overMenu_, tr("Draft alone"), over_.kind == OverKind::None, [this] { drawOver(OverKind::None); });
    const QString& baseline = draft_.baselineName();
    add(overMenu_, baseline.isEmpty() ? tr("Over the baseline: none is pinned") : tr("Over the baseline %1").arg(baseline),
        over_.kind == OverKind::Baseline, [this] { drawOver(OverKind::Baseline); })
        ->setEnabled(draft_.baselineFacts() != nullptr);
    overMenu_->addSeparator();
    const auto addEntries = [&](const QString& title, const std::vector<PresetEntry>& entries) {
        QMenu* part = overMenu_->addMenu(title);
        part->setEnabled(!entries.empty());
        QString section;
        for (const auto& entry : entries) {
            if (entry.group != section && !entry.isSaved) part->addSection(section = entry.group);
            add(part, entry.name, isOther(entry.name),
                [this, entry] { drawOver(OverKind::Other, entry.name, entry.document); });
        }
    };
    addEntries(tr("Over a preset"), shipped_);
    addEntries(tr("Over a saved variant"), saved_);
    QMenu* runs = overMenu_->addMenu(tr("Over the variant of a run"));
    std::set<std::string> seen;
    for (const auto& run : studio().feed().runs()) {
        if (int(seen.size()) >= kMostRuns) break;
        if (run.damaged || !seen.insert(run.variantHash).second) continue;
        const Json document = Json::parse(run.spec, nullptr, false);
        const QString name = QString::fromStdString(run.name);
        if (document.is_object())
            add(runs, name, isOther(name), [this, name, document] { drawOver(OverKind::Other, name, document); });
    }
    runs->setEnabled(!runs->isEmpty());
}

void ComposePage::drawOver(OverKind kind, const QString& name, const Json& document) {
    over_.kind = kind;
    over_.name = name;
    over_.document = document;
    options_.over = {};
    over_.isAsked = false;
    ++over_.generation;
    if (kind != OverKind::None) mark_->setChecked(true);
    refreshOver();
    relayout();
    autosave_.start();
}

void ComposePage::refreshOver() {
    if (over_.kind == OverKind::None) return;
    if (over_.kind == OverKind::Baseline) {
        options_.over = {draft_.baselineName(), draft_.baselineFacts()};
        return;
    }
    if (over_.isAsked && over_.assumed == draft_.assumed()) return;
    over_.isAsked = true;
    over_.assumed = draft_.assumed();
    ++reading_;
    inBackground(
        this, [document = over_.document, assumed = over_.assumed] { return factsOf(document, assumed); },
        [this, generation = ++over_.generation](const Facts& facts) {
            --reading_;
            if (generation != over_.generation) return;
            const QString name = over_.name;
            if (!facts) {
                drawOver(OverKind::None);
                return strip_->showMessage({StripKind::Warn,
                                            tr("%1 is not valid any more and cannot be drawn.").arg(name),
                                            tr("Open it as a draft to see its problems."),
                                            {}});
            }
            options_.over = {name, facts};
            relayout();
        });
}

}  // namespace heddle::ui
