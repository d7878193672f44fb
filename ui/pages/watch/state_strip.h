// SPDX-License-Identifier: GPL-3.0-or-later
// The message above the curves on the state of the run shown: what happened, at which step, and what is kept.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/widgets/message_strip.h"

#include <memory>
#include <optional>

namespace heddle::ui {

class RunActions;
class Studio;

namespace watch {

struct StateWords {
    StripKind kind = StripKind::Info;
    QString title = {}, text = {};
    bool canResume = false, hasFailed = false;
    QString advice = {};     ///< what to do about a failure
    std::string fault = {};  ///< the key of the spec that the failure names, "train.lr"; may be empty
    std::string key = {};    ///< a closed message stays closed while its key is the same
    bool operator==(const StateWords&) const = default;
};

/// Empty for states without a message (running, completed).
std::optional<StateWords> stateWords(const RunDetail& detail);

class StateStrip : public MessageStrip {
    Q_OBJECT

public:
    /// `onRun` acts on the run shown.
    StateStrip(Studio& studio, RunActions& onRun, QWidget* parent);

    /// Null hides the message.
    void setDetail(const std::shared_ptr<const RunDetail>& detail);

Q_SIGNALS:
    void logRequested();

private:
    void copyDetails() const;
    void cloneAndCorrect();

    Studio& studio_;
    RunActions& onRun_;
    QAction *openLog_, *copyDetails_, *correct_;
    std::shared_ptr<const RunDetail> detail_;
    std::optional<StateWords> words_;
    std::string closed_;  ///< the key of the words that the user closed
};

}  // namespace watch
}  // namespace heddle::ui
