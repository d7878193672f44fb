// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_verbs.h"

#include "ui/data/studio.h"
#include "ui/theme/icons.h"

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr qsizetype kLongestTarget = 48;

struct VerbWords {
    Icon icon;
    QString alone, named, tip;
};

VerbWords wordsOf(RunVerb verb) {
    switch (verb) {
    case RunVerb::Pause:
        return {Icon::Pause, RunVerbs::tr("Pause"), RunVerbs::tr("Pause %1"), RunVerbs::tr("Wait at the next step border")};
    case RunVerb::Stop:
        return {Icon::Stop, RunVerbs::tr("Stop"), RunVerbs::tr("Stop %1"),
                RunVerbs::tr("End at the next step border; a checkpoint is written")};
    case RunVerb::Checkpoint:
        return {Icon::Save, RunVerbs::tr("Checkpoint"), RunVerbs::tr("Write a checkpoint of %1"),
                RunVerbs::tr("Write a checkpoint at the next step border")};
    default:
        return {Icon::Play, RunVerbs::tr("Resume"), RunVerbs::tr("Resume %1"),
                RunVerbs::tr("Go on; a run that ended goes on from its newest intact checkpoint")};
    }
}

/// The verb that `verb` means for a run in this state.
std::optional<RunVerb> meantBy(RunVerb verb, RunState state) {
    if (verb == RunVerb::Resume && (isAllowed(state, RunVerb::Start) || state == RunState::Queued)) return RunVerb::Start;
    return isAllowed(state, verb) ? std::optional(verb) : std::nullopt;
}

std::optional<RunVerb> meantBy(RunVerb verb, const storage::RunRecord& run) {
    const auto state = runStateFromName(run.state);
    return state ? meantBy(verb, *state) : std::nullopt;
}

}  // namespace

QString targetOf(const Run* first, std::size_t runs) {
    if (!first || runs == 0) return {};
    if (runs > 1) return RunVerbs::tr("%Ln run(s)", nullptr, int(runs));
    QString label = runLabel(*first).simplified();
    if (label.size() <= kLongestTarget) return label;
    return label.left(kLongestTarget / 2) + QChar(0x2026) + label.right(kLongestTarget / 2);
}

void setTarget(QAction& action, const QString& named, const QString& target) {
    const QString alone = action.iconText();
    action.setText(target.isEmpty() ? alone : named.arg(QString(target).replace(QLatin1Char('&'), QLatin1String("&&"))));
    action.setIconText(alone);
}

RunVerbs::RunVerbs(Studio& studio, QObject* parent) : QObject(parent), studio_(studio), toggle_(new QAction(this)) {
    for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Checkpoint, RunVerb::Stop}) {
        auto* action = new QAction(themeIcon(wordsOf(verb).icon), wordsOf(verb).alone, this);
        connect(action, &QAction::triggered, this, [this, verb] { carryOut(verb); });
        actions_[verb] = action;
    }
    toggle_->setIconText(tr("Pause or resume"));
    connect(toggle_, &QAction::triggered, this, [this] {
        for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume})
            if (action(verb).isEnabled()) return action(verb).trigger();
    });
    connect(&studio_.databases(), &Databases::runsChanged, this, &RunVerbs::refresh);
    connect(&studio_.verbs(), &PendingVerbs::changed, this, &RunVerbs::refresh);
    refresh();
}

void RunVerbs::setRuns(std::vector<RunRef> runs) {
    runs_ = std::move(runs);
    refresh();
}

std::vector<const Run*> RunVerbs::records() const {
    std::vector<const Run*> found;
    for (const auto& ref : runs_)
        if (const auto* run = studio_.databases().run(ref)) found.push_back(run);
    return found;
}

bool RunVerbs::isPending(RunVerb verb) const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const RunRef& run) {
        const auto pending = studio_.verbs().of(run);
        return pending && (*pending == verb || (verb == RunVerb::Resume && *pending == RunVerb::Start));
    });
}

void RunVerbs::refresh() {
    const auto runs = records();
    const QString target = targetOf(runs.empty() ? nullptr : runs.front(), runs.size());
    for (const auto& [verb, action] : actions_) {
        const VerbWords words = wordsOf(verb);
        const bool may = !runs.empty() && std::all_of(runs.begin(), runs.end(), [verb = verb](const auto* run) {
            return meantBy(verb, *run).has_value();
        });
        action->setIconText(words.alone);
        setTarget(*action, words.named, target);
        if (isPending(verb)) action->setIconText(pendingWord(verb));
        action->setToolTip(words.tip);
        action->setEnabled(may && !isPending(verb));
    }
    const QAction& meant = action(action(RunVerb::Pause).isEnabled() ? RunVerb::Pause : RunVerb::Resume);
    toggle_->setText(meant.isEnabled() ? meant.text() : toggle_->iconText());
    toggle_->setIcon(meant.icon());
    toggle_->setEnabled(meant.isEnabled());
}

void RunVerbs::carryOut(RunVerb verb) {
    for (const auto* run : records())
        if (const auto meant = meantBy(verb, *run)) studio_.verbs().carryOut(run->ref, *meant);
}

}  // namespace heddle::ui
