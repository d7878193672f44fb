// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence at one step of a run: the recorded maps of a probe, and observations of the newest checkpoint's model.
#pragma once

#include "engine/run/inspection.h"
#include "ui/data/databases.h"
#include "ui/data/inspector.h"
#include "ui/data/run_detail.h"
#include "ui/data/sentence_maps.h"
#include "ui/threads/coalescing_timer.h"
#include "ui/threads/query.h"

namespace heddle::ui {

/// Which sentence: a probe, or a text.
struct InspectedSentence {
    std::int64_t probe = 0;  ///< number of an example of the valid split; used if `text` is empty
    QString text;
    QString target;  ///< the translation of the text; empty: the output of the model
    SearchOptions search;
    bool operator==(const InspectedSentence& other) const;
};

class InspectedRun : public QObject {
    Q_OBJECT

public:
    InspectedRun(Databases& databases, Inspector& inspector, QObject* parent);

    /// `detail` is null for no run and while its details are being read.
    void setRun(std::shared_ptr<const RunDetail> detail);
    void setStep(Step step);
    void setSentence(const InspectedSentence& sentence);
    /// Only an active one, whose page is shown, asks a model.
    void setActive(bool active);

    const std::shared_ptr<const RunDetail>& detail() const { return detail_; }
    Step step() const { return step_; }
    /// The model of the newest undamaged checkpoint up to the step; nothing if none is kept.
    std::optional<ModelRef> model() const;
    /// The models of all undamaged checkpoints of the run, by step.
    std::vector<ModelRef> models() const;

    /// The recorded maps of the probe at the last snapshot up to the step; null if there are none or a text is shown.
    const std::shared_ptr<const SentenceMaps>& recorded() const { return recorded_; }
    /// The observation of the sentence; null until the model has answered.
    const std::shared_ptr<const Observation>& observed() const { return observed_; }
    /// The parts of the model that can be changed; null until the model has answered.
    const std::shared_ptr<const InterventionTargets>& targets() const { return targets_; }
    /// The recorded maps if they have the family, else those of the model.
    std::shared_ptr<const SentenceMaps> mapsOf(MapFamily family) const;
    /// Why there is no observation (no checkpoint, or an error); empty if there is one or will be.
    const QString& error() const { return error_; }
    /// Why recorded maps could not be read; empty if they could, or if there are none.
    const QString& recordedError() const { return recordedError_; }
    bool isSettled() const;

Q_SIGNALS:
    void recordedChanged();
    void observedChanged();
    /// Recorded maps could not be read; recorded() is then null. Emitted once, not at every attempt.
    void failed(const heddle::ui::Problem& problem);

private:
    std::string recordedKey() const;
    std::string observedKey() const;
    ModelRef modelAt(Step step) const;
    void changeSubject();
    void clearRecorded();
    void readRecorded();
    void takeRecorded(Result<std::shared_ptr<const SentenceMaps>> maps);
    void observe();
    void setError(const QString& words);

    Databases& databases_;
    Inspector& inspector_;
    std::shared_ptr<const RunDetail> detail_;
    Step step_ = 0;
    InspectedSentence sentence_;
    bool active_ = false;
    std::shared_ptr<const SentenceMaps> recorded_, observedMaps_;
    std::shared_ptr<const Observation> observed_;
    std::shared_ptr<const InterventionTargets> targets_;
    std::string observedKey_, requestedKey_;  ///< the observedKey() of the observation, and of the newest request
    QString error_, recordedError_;
    Query<std::shared_ptr<const SentenceMaps>> query_;
    ReportedProblems reported_;
    CoalescingTimer delay_{this, [this] { observe(); }, Delay::kSettled};  ///< waits until the slider rests
};

/// Steps that have maps or a kept checkpoint, ascending.
std::vector<int> inspectableSteps(const RunDetail& detail);

}  // namespace heddle::ui
