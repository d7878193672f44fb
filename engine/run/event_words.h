// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <string>

namespace heddle {

/// The kind of ModelBuilt among the stored events.
inline constexpr const char* kModelEvent = "model";
/// The text by which AttemptDescribed is known among the stored events of kind "info".
inline constexpr const char* kAttemptText = "attempt";
/// The kind of users' notes.
inline constexpr const char* kNoteEvent = "note";

/// An event as an entry in the list of a run's events. Kind and data are a contract: they are stored, and printed by heddle
/// runs show.
struct EventWords {
    std::string kind;  ///< "info" "model" "warning" "data" "memory" "decoding" "gap" "start" "resume" "intervention" "failure"
    std::string text;
    Json data = nullptr;
};

EventWords wordsOf(const AttemptDescribed& event);
EventWords wordsOf(const ModelBuilt& event);
EventWords wordsOf(const StartedFrom& event);
EventWords wordsOf(const StateRestored& event);
EventWords wordsOf(const Intervened& event);
EventWords wordsOf(const TokenizerReported& event);
EventWords wordsOf(const FirstStepDone& event);
EventWords wordsOf(const StepsCaptured& event);
EventWords wordsOf(const MemoryMeasured& event);
EventWords wordsOf(const RunsAtOnce& event);
EventWords wordsOf(const ScalarsThinned& event);
EventWords wordsOf(const DecodingWithoutCache& event);
EventWords wordsOf(const SlowPrecision& event);
EventWords wordsOf(const CheckpointSkipped& event);
EventWords wordsOf(const BestCheckpointUnreadable& event);
EventWords wordsOf(const DataWarning& event);
EventWords wordsOf(const Remark& event);
EventWords wordsOf(const Failure& event);

// The functions below read these words back; attempt_facts.h those that an attempt's context has. A value of another form
// counts as absent.

/// The exit code in a failure's data, 0 if there is none. Throws Error where the text is not JSON.
int exitCodeIn(const std::string& data);
/// Whether a warning's data say that it concerns the data and so all numbers of the run.
bool concernsData(const std::string& data);
/// The time (Unix) of the note that a note's data say it replaces; 0: it is a new one.
double replacedNote(const std::string& data);

}  // namespace heddle
