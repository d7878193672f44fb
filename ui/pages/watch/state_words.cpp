// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/state_words.h"

#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "ui/text/number.h"

#include <QCoreApplication>

#include <algorithm>

namespace heddle::ui::watch {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::watch::StateWords)
};

QString checkpointWords(const RunDetail& detail) {
    Step newest = -1;
    for (const auto& checkpoint : detail.checkpoints) newest = std::max<Step>(newest, checkpoint.step);
    if (newest < 0) return Words::tr("No checkpoint was written: it begins anew.");
    const Step lost = std::max<Step>(0, detail.record.step - newest);
    return lost == 0 ? Words::tr("Checkpoint %1 is kept; no step is lost.").arg(count(newest))
                     : Words::tr("Checkpoint %1 is kept; %Ln step(s) are run again.", nullptr, int(lost)).arg(count(newest));
}

QString memberOf(const Json& data, const char* key) {
    const auto found = data.find(key);
    return found != data.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

StateWords failed(const RunDetail& detail) {
    StateWords words{StripKind::Bad, Words::tr("Failed at step %1").arg(count(detail.record.step)), {}, true, true};
    const storage::EventRecord* failure = detail.lastEvent("failure");
    if (!failure) {
        words.text = checkpointWords(detail);
        return words;
    }
    const Json data = Json::parse(failure->data, nullptr, false);
    words.title = Words::tr("Step %1: %2").arg(count(failure->step), QString::fromStdString(failure->text));
    QStringList parts{memberOf(data, "where"), memberOf(data, "safe"), memberOf(data, "next")};
    parts.removeAll(QString());
    parts << checkpointWords(detail);
    words.text = parts.join(QStringLiteral(" · "));
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
                 reason.isEmpty() ? Words::tr("Paused at step %1").arg(count(run.step))
                                  : Words::tr("Paused by %1 at step %2").arg(reason, count(run.step)),
                 Words::tr("The model stays in memory: Resume runs no step again. If its process ends first: %1")
                     .arg(checkpointWords(detail)),
                 true};
        break;
    case RunState::Interrupted:
        words = {StripKind::Warn, Words::tr("Interrupted: the run ended without notice at step %1").arg(count(run.step)),
                 checkpointWords(detail), true};
        break;
    case RunState::Queued:
        words = {StripKind::Info, Words::tr("Waiting to start"),
                 Words::tr("Curves, attention and gates appear here as soon as it writes its first step.")};
        break;
    case RunState::Preparing:
        words = {StripKind::Info, Words::tr("Preparing"), Words::tr("Reading data, building vocabularies and the model.")};
        break;
    default: return std::nullopt;
    }
    words.key = run.id + '/' + run.state + '/' + std::to_string(run.attempts) + '/' + std::to_string(detail.checkpoints.size());
    return words;
}

}  // namespace heddle::ui::watch
