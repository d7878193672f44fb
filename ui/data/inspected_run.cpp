// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/inspected_run.h"

#include "ui/text/number.h"

#include <algorithm>

namespace heddle::ui {
namespace {

/// An observation with the pictures of its maps.
struct Answer {
    Observation observation;
    std::shared_ptr<const SentenceMaps> maps;
    InterventionTargets targets;
};

/// Averages of checkpoints are not of one step.
bool isInspectable(const storage::CheckpointRecord& checkpoint) {
    return !checkpoint.damaged && !storage::isAverage(checkpoint.kind);
}

/// The newest undamaged checkpoint up to `step`.
std::optional<Step> keptStep(const RunDetail& detail, Step step) {
    std::optional<Step> newest;
    for (const auto& checkpoint : detail.checkpoints)
        if (isInspectable(checkpoint) && checkpoint.step <= step && (!newest || checkpoint.step > *newest))
            newest = checkpoint.step;
    return newest;
}

}  // namespace

bool InspectedSentence::operator==(const InspectedSentence& other) const {
    return probe == other.probe && text == other.text && target == other.target && search.method == other.search.method &&
           search.beam == other.search.beam;
}

std::vector<int> inspectableSteps(const RunDetail& detail) {
    std::vector<int> steps;
    for (const auto& [site, probes] : detail.maps)
        for (const auto& [probe, ofProbe] : probes) steps.insert(steps.end(), ofProbe.begin(), ofProbe.end());
    for (const auto& checkpoint : detail.checkpoints)
        if (isInspectable(checkpoint)) steps.push_back(int(checkpoint.step));
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

InspectedRun::InspectedRun(Databases& databases, Inspector& inspector, QObject* parent)
    : QObject(parent),
      databases_(databases),
      inspector_(inspector),
      query_(this, [this](Result<std::shared_ptr<const SentenceMaps>> maps) { takeRecorded(std::move(maps)); }) {
    // A request is not made while an equal one is under way. If the answer to that one was dropped, it is made now.
    connect(&inspector, &Inspector::busyChanged, this, [this] {
        if (!inspector_.isBusy() && observedKey_ != observedKey()) delay_.postpone();
    });
}

void InspectedRun::setRun(std::shared_ptr<const RunDetail> detail) {
    if (detail == detail_) return;
    const bool isOther = !detail || !detail_ || detail->record.ref != detail_->record.ref;
    detail_ = std::move(detail);
    if (isOther) {
        targets_.reset();
        clearRecorded();
    }
    changeSubject();
}

void InspectedRun::setStep(Step step) {
    if (step == step_) return;
    step_ = step;
    changeSubject();
}

void InspectedRun::setSentence(const InspectedSentence& sentence) {
    if (sentence == sentence_) return;
    const bool isOther = sentence.probe != sentence_.probe || sentence.text != sentence_.text;
    sentence_ = sentence;
    if (isOther) clearRecorded();
    changeSubject();
}

void InspectedRun::setActive(bool active) {
    active_ = active;
    if (active) changeSubject();
}

std::optional<ModelRef> InspectedRun::model() const {
    if (!detail_) return std::nullopt;
    const auto step = keptStep(*detail_, step_);
    return step ? std::optional(modelAt(*step)) : std::nullopt;
}

std::vector<ModelRef> InspectedRun::models() const {
    std::vector<ModelRef> models;
    if (!detail_) return models;
    for (const auto& checkpoint : detail_->checkpoints)
        if (isInspectable(checkpoint)) models.push_back(modelAt(checkpoint.step));
    std::sort(models.begin(), models.end());
    models.erase(std::unique(models.begin(), models.end()), models.end());
    return models;
}

ModelRef InspectedRun::modelAt(Step step) const {
    return {databases_.fileOf(detail_->record.ref).toStdString(), detail_->record.id, step};
}

std::shared_ptr<const SentenceMaps> InspectedRun::mapsOf(MapFamily family) const {
    return recorded_ && recorded_->has(family) ? recorded_ : observedMaps_;
}

bool InspectedRun::isSettled() const {
    return query_.isIdle() && !delay_.isActive() && (observedKey_ == observedKey() || !active_ || !model());
}

std::string InspectedRun::recordedKey() const {
    if (!detail_ || !sentence_.text.isEmpty()) return {};
    std::string key = detail_->record.ref.key().toStdString() + '/' + std::to_string(sentence_.probe);
    for (const auto& [site, probes] : detail_->maps)
        if (const auto steps = probes.find(sentence_.probe); steps != probes.end())
            key += '@' + std::to_string(stepAtOrBefore(steps->second, step_).value_or(-1));
    return key;
}

std::string InspectedRun::observedKey() const {
    const auto chosen = model();
    if (!chosen) return {};
    return chosen->database + '\n' + chosen->run + '@' + std::to_string(chosen->step) + '/' + std::to_string(sentence_.probe) +
           '/' + std::to_string(int(sentence_.search.method)) + '/' + sentence_.text.toStdString() + '\t' +
           sentence_.target.toStdString();
}

/// Clears the observation unless run, step and sentence are the same as before.
void InspectedRun::changeSubject() {
    readRecorded();
    const std::string key = observedKey();
    if (key == observedKey_ && !key.empty()) return;
    observed_.reset();
    observedMaps_.reset();
    error_.clear();
    observedKey_.clear();
    if (!detail_) return Q_EMIT observedChanged();
    if (key.empty()) return setError(tr("No checkpoint up to step %1").arg(count(step_)));
    Q_EMIT observedChanged();
    if (active_) delay_.postpone();
}

void InspectedRun::setError(const QString& words) {
    error_ = words;
    Q_EMIT observedChanged();
}

/// Clears maps of another run or sentence. Maps of another step stay until those of the step are read.
void InspectedRun::clearRecorded() {
    recorded_.reset();
    recordedError_.clear();
    query_.cancel();
}

/// For a text, and for a run whose details are being read, there is nothing to read: clearRecorded() was called before.
void InspectedRun::readRecorded() {
    const std::string key = recordedKey();
    if (key.empty()) return;
    query_.askOnce(key, databases_.reader(detail_->record.ref.database),
                   [detail = detail_, probe = sentence_.probe, step = step_](storage::RunQuery& query) {
                       return std::make_shared<const SentenceMaps>(readMaps(query, *detail, probe, step));
                   });
}

/// If one record is damaged, none of the maps is shown.
void InspectedRun::takeRecorded(Result<std::shared_ptr<const SentenceMaps>> maps) {
    const QString run = detail_->record.ref.key();
    recorded_ = maps && !(*maps)->isEmpty() ? *maps : nullptr;
    recordedError_ = maps ? QString() : wordsOf(maps.problem());
    if (maps) reported_.succeeded(run);
    const bool isNews = !maps && reported_.isNew(run, maps.problem());
    Q_EMIT recordedChanged();
    if (isNews) Q_EMIT failed(maps.problem());
}

void InspectedRun::observe() {
    const auto chosen = model();
    const std::string key = observedKey();
    if (!active_ || !chosen || key == observedKey_ || (key == requestedKey_ && inspector_.isBusy())) return;
    requestedKey_ = key;
    ObservationRequest request;
    request.text = sentence_.text.toStdString();
    request.target = sentence_.target.toStdString();
    request.example = sentence_.probe;
    request.search = sentence_.search;
    ask(
        this, inspector_.at(*chosen),
        [request](InspectionSession& session) {
            Answer answer{session.observe(request), nullptr, session.targets()};
            answer.maps = std::make_shared<const SentenceMaps>(recordsOf(std::move(answer.observation.maps)));
            return answer;
        },
        [this, key, run = detail_->record.ref](Result<Answer> answer) {
            if (answer && detail_ && detail_->record.ref == run)
                targets_ = std::make_shared<const InterventionTargets>(answer->targets);
            if (key != observedKey()) return;
            observedKey_ = key;
            if (!answer) return setError(wordsOf(answer.problem()));
            observed_ = std::make_shared<const Observation>(std::move(answer->observation));
            observedMaps_ = answer->maps;
            error_.clear();
            Q_EMIT observedChanged();
        });
}

}  // namespace heddle::ui
