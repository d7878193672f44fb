// SPDX-License-Identifier: GPL-3.0-or-later
// The variant that the draft is drawn over: the baseline, a preset, a saved variant or that of a run.
#include "ui/pages/compose/built_model.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/text/number.h"
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
    const auto draw = [&](QMenu& part, const PresetEntry& entry) {
        add(&part, entry.name, isOther(entry.name), [this, entry] { drawOver(OverKind::Other, entry.name, entry.document); });
    };
    addEntries(*overMenu_->addMenu(tr("Over a preset")), shipped_, draw);
    addEntries(*overMenu_->addMenu(tr("Over a saved variant")), saved_, draw);
    QMenu* runs = overMenu_->addMenu(tr("Over the variant of a run"));
    std::set<std::string> seen;
    for (const Run* one : studio().databases().runs()) {
        const Run& run = *one;
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

void ComposePage::countAsBuilt(const RunRef& run) {
    struct Counted {
        std::optional<BuiltModel> built;
        std::int64_t parameters = 0;
    };
    studio().databases().read(
        run.database, this,
        [run = run.id, document = draft_.document()](storage::RunQuery& query) {
            Counted counted{readBuiltModel(query, run), 0};
            const Facts facts = counted.built ? factsOf(document, counted.built->sizes) : nullptr;
            if (facts) counted.parameters = facts->cost.parameters;
            return counted;
        },
        [this, name = draft_.name()](const Counted& counted) {
            if (!counted.built || draft_.name() != name || draft_.isModified()) return;
            const BuiltModel& built = *counted.built;
            draft_.setAssumed(built.sizes);
            const bool isSame = built.parameters == counted.parameters;
            const QString title = isSame ? tr("%1 is drawn as it was built: %2 parameters.").arg(name, count(built.parameters))
                                         : tr("%1 was built with %2 parameters, its specification comes to %3.")
                                               .arg(name, count(built.parameters), count(counted.parameters));
            QString words = tr("Its data had %1 / %2 words.").arg(count(built.sizes.source), count(built.sizes.target));
            QList<QAction*> actions;
            if (!strip_->isHidden()) {  // a draft was left behind
                words += QLatin1Char(' ') + tr("The draft %1 was not saved.").arg(leftBehind_.second);
                actions << return_;
            }
            strip_->showMessage({isSame ? StripKind::Info : StripKind::Warn, title, words, actions});
        });
}

}  // namespace heddle::ui
