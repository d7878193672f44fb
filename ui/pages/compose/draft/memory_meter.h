// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one training step of the draft, measured in the background.
#pragma once

#include "engine/spec/draft_facts.h"
#include "ui/data/studio.h"
#include "ui/threads/coalescing_timer.h"
#include "ui/threads/query.h"

#include <QObject>

#include <optional>
#include <utility>

namespace heddle::ui {

class MemoryMeter : public QObject {
    Q_OBJECT

public:
    MemoryMeter(Studio& studio, QObject* parent);

    /// Measures this draft after a pause in the edits; the last call wins. Null, or a studio without a meter: measures nothing.
    void setFacts(const Facts& facts);
    /// Of the newest draft; nothing while it is unknown.
    const std::optional<StepMemory>& memory() const { return memory_; }
    /// Why the measurement failed; empty: it did not.
    const QString& problem() const { return problem_; }
    bool isSettled() const { return query_.isIdle() && !delay_.isActive(); }
    bool isAvailable() const { return bool(studio_.services().stepMeter); }

    /// Sentences of max_len tokens on both sides.
    static BatchShape shapeOf(const DraftFacts& facts);
    /// The variant with the vocabulary sizes that its counts assume.
    static VariantSpec sized(const DraftFacts& facts);

Q_SIGNALS:
    void changed();

private:
    void measure();
    void take(Result<StepMemory> memory);

    Studio& studio_;
    Facts facts_, asked_;  ///< asked_: whose memory is being measured
    std::optional<StepMemory> memory_;
    QString problem_;
    CoalescingTimer delay_{this, [this] { measure(); }, Delay::kMeasured};
    Query<StepMemory> query_{this, [this](Result<StepMemory> memory) { take(std::move(memory)); }};
};

}  // namespace heddle::ui
