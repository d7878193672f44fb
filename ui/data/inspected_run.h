// SPDX-License-Identifier: GPL-3.0-or-later
// What a run makes of one sentence at one step: the maps that it recorded of a probe, and what its model shows, opened from the
// newest checkpoint that is kept till then.
#pragma once

#include "engine/run/inspection.h"
#include "ui/data/inspector.h"
#include "ui/data/query.h"
#include "ui/data/run_detail.h"
#include "ui/data/sentence_maps.h"

#include <QTimer>

namespace heddle::ui {

/// Which sentence: a probe, or a text.
struct InspectedSentence {
    std::int64_t probe = 0;  ///< number of an example of the valid split; without a text
    QString text;
    QString target;  ///< the translation of the text; empty: what the model writes
    SearchOptions search;
    bool operator==(const InspectedSentence& other) const;
};

class InspectedRun : public QObject {
    Q_OBJECT

public:
    InspectedRun(Databases& databases, Inspector& inspector, QObject* parent);

    /// `detail` null: no run, or its details are on their way.
    void setRun(std::shared_ptr<const RunDetail> detail);
    void setStep(Step step);
    void setSentence(const InspectedSentence& sentence);
    /// While the page is not shown, no model is asked.
    void setAwake(bool awake);

    const std::shared_ptr<const RunDetail>& detail() const { return detail_; }
    Step step() const { return step_; }
    /// The model of the newest undamaged checkpoint till the step; nothing: none is kept.
    std::optional<ModelRef> model() const;

    /// The recorded maps of the probe at the last snapshot till the step; null: none, or a text is shown.
    const std::shared_ptr<const SentenceMaps>& recorded() const { return recorded_; }
    /// What the model shows; null while it is not known.
    const std::shared_ptr<const Observation>& observed() const { return observed_; }
    /// What can be changed in the model; null while it is not known.
    const std::shared_ptr<const InterventionTargets>& targets() const { return targets_; }
    /// Recorded maps where they have the family, else those of the model.
    std::shared_ptr<const SentenceMaps> mapsOf(MapFamily family) const;
    /// Why nothing is observed: no checkpoint, or what went wrong; empty: it is observed, or on its way.
    const QString& obstacle() const { return obstacle_; }
    bool isSettled() const;

Q_SIGNALS:
    void recordedChanged();
    void observedChanged();

private:
    std::string recordedKey() const;
    std::string observedKey() const;
    void changeSubject();
    Query::Question ask();
    void observe();
    void setObstacle(const QString& words);

    Databases& databases_;
    Inspector& inspector_;
    std::shared_ptr<const RunDetail> detail_;
    Step step_ = 0;
    InspectedSentence sentence_;
    bool awake_ = false;
    std::shared_ptr<const SentenceMaps> recorded_, observedMaps_;
    std::shared_ptr<const Observation> observed_;
    std::shared_ptr<const InterventionTargets> targets_;
    std::string recordedOf_, observedOf_, askedOf_;
    QString obstacle_;
    Query* query_;
    QTimer pause_;  ///< a moved slider asks the model when it rests
};

/// Steps that have maps or a kept checkpoint, ascending.
std::vector<int> inspectableSteps(const RunDetail& detail);

}  // namespace heddle::ui
