// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/state_strip.h"

#include "engine/base/json.h"
#include "engine/base/split.h"
#include "engine/run/run_state.h"
#include "engine/spec/field_schema.h"
#include "engine/spec/run_spec.h"
#include "ui/data/run_actions.h"
#include "ui/data/studio.h"
#include "ui/panels/log_view.h"
#include "ui/text/number.h"
#include "ui/text/sentence.h"
#include "ui/widgets/small_parts.h"

#include <QApplication>
#include <QClipboard>
#include <QRegularExpression>

#include <algorithm>

namespace heddle::ui::watch {
namespace {

QString checkpointWords(const RunDetail& detail) {
    Step newest = -1;
    for (const auto& checkpoint : detail.checkpoints) newest = std::max<Step>(newest, checkpoint.step);
    if (newest < 0) return StateStrip::tr("No checkpoint was written: the run starts again from step 0.");
    const Step lost = std::max<Step>(0, detail.record.step - newest);
    return lost == 0
               ? StateStrip::tr("Checkpoint %1 is kept; no step is lost.").arg(count(newest))
               : StateStrip::tr("Checkpoint %1 is kept; %Ln step(s) are run again.", nullptr, int(lost)).arg(count(newest));
}

QString memberOf(const Json& data, const char* key) {
    const auto found = data.find(key);
    return found != data.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

/// Whether run specs have this key, stated or not: "train.lr".
bool isRunKey(const std::string& name) {
    const FieldSchema* at = &runSchema();
    for (const std::string& key : splitAt(name, '.'))
        if (at = findField(*at, key); !at) return false;
    return true;
}

/// The first dotted name in `words` that is a key of the spec, of its variant or of all runs; empty if there is none.
std::string keyIn(const QString& words, const Json& spec) {
    static const QRegularExpression kName(QStringLiteral("[a-z_]\\w*(?:\\.\\w+)+"));
    for (auto names = kName.globalMatch(words); names.hasNext();) {
        std::string name = names.next().captured().toStdString();
        for (const std::string& key : {name, "variant." + name})
            if (spec.is_object() && spec.contains(pointerOf(key))) return key;
        if (isRunKey(name)) return name;
    }
    return {};
}

/// The title is the failure in one sentence; the text is what is kept.
StateWords failed(const RunDetail& detail) {
    StateWords words{StripKind::Bad, StateStrip::tr("This run failed at step %1.").arg(count(detail.record.step)),
                     checkpointWords(detail), true, true};
    const storage::EventRecord* failure = detail.lastEvent("failure");
    if (!failure) return words;
    const Json data = Json::parse(failure->data, nullptr, false);
    const QString where = memberOf(data, "where"), next = memberOf(data, "next"), what = QString::fromStdString(failure->text);
    const bool isPlace = !where.isEmpty() && !where.startsWith(QLatin1String("step "));
    const QString step = count(failure->step);
    words.title = sentence(isPlace ? StateStrip::tr("This run failed at step %1, in %2: %3").arg(step, where, what)
                                   : StateStrip::tr("This run failed at step %1: %2").arg(step, what));
    words.advice = sentence(next);
    words.fault = keyIn(where + QLatin1Char(' ') + next, Json::parse(detail.record.spec, nullptr, false));
    return words;
}

}  // namespace

std::optional<StateWords> stateWords(const RunDetail& detail) {
    const auto& run = detail.record;
    const QString reason = QString::fromStdString(run.reason);
    StateWords words;
    switch (runStateFromName(run.state).value_or(RunState::Completed)) {
    case RunState::Failed: words = failed(detail); break;
    case RunState::Paused:
        words = {StripKind::Warn,
                 reason.isEmpty() ? StateStrip::tr("Paused at step %1").arg(count(run.step))
                                  : StateStrip::tr("Paused by %1 at step %2").arg(reason, count(run.step)),
                 StateStrip::tr("The model stays in memory, so that Resume repeats no step. If its process ends: %1")
                     .arg(checkpointWords(detail)),
                 true};
        break;
    case RunState::Interrupted:
        words = {StripKind::Warn, StateStrip::tr("Interrupted: the process ended unexpectedly at step %1").arg(count(run.step)),
                 checkpointWords(detail), true};
        break;
    case RunState::Queued:
        words = {StripKind::Info, StateStrip::tr("Waiting to start"),
                 StateStrip::tr("Curves, attention and gates appear here as soon as it writes its first step.")};
        break;
    case RunState::Preparing:
        words = {StripKind::Info, StateStrip::tr("Preparing"),
                 StateStrip::tr("Reading data, building vocabularies and the model.")};
        break;
    default: return std::nullopt;
    }
    words.key = run.id + '/' + run.state + '/' + std::to_string(run.attempts) + '/' + std::to_string(detail.checkpoints.size());
    return words;
}

StateStrip::StateStrip(Studio& studio, RunActions& onRun, QWidget* parent)
    : MessageStrip(parent),
      studio_(studio),
      onRun_(onRun),
      openLog_(makeAction(this, {"openLog", tr("Open log")}, [this] { Q_EMIT logRequested(); })),
      copyDetails_(makeAction(this, {"copyDetails", tr("Copy details")}, [this] { copyDetails(); })),
      correct_(makeAction(this,
                          {"cloneAndCorrect",
                           tr("Clone and correct"),
                           {},
                           {},
                           tr("Open the spec in Compose at the setting that caused the failure")},
                          [this] { cloneAndCorrect(); })) {
    connect(this, &MessageStrip::closed, this, [this] { closed_ = words_ ? words_->key : std::string(); });
}

void StateStrip::setDetail(const std::shared_ptr<const RunDetail>& detail) {
    detail_ = detail;
    auto words = detail ? stateWords(*detail) : std::nullopt;
    if (words == words_) return;
    words_ = std::move(words);
    if (!words_ || words_->key == closed_) return hide();
    QList<QAction*> actions;
    if (words_->hasFailed) actions << correct_;
    if (words_->canResume) actions << &onRun_.action(RunVerb::Resume);
    if (words_->hasFailed) actions << openLog_ << copyDetails_;
    showMessage({words_->kind, words_->title, words_->text, actions});
}

void StateStrip::copyDetails() const {
    if (!words_) return;
    LogModel log;
    log.setDetail(detail_);
    QApplication::clipboard()->setText(
        QStringList{words_->title, words_->text, words_->advice, {}, log.text()}.join(QLatin1Char('\n')));
}

/// Opens the run's spec in Compose at the key that the failure names, and shows the failure as a message.
void StateStrip::cloneAndCorrect() {
    onRun_.openClone(words_ ? words_->fault : std::string());
    if (words_) studio_.report(Message{StripKind::Warn, words_->title, words_->advice});
}

}  // namespace heddle::ui::watch
