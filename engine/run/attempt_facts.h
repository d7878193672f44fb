// SPDX-License-Identifier: Apache-2.0
// What an attempt's stored context says: where it was started, and the facts of AttemptDescribed, FirstStepDone, StepsCaptured
// and RunsAtOnce.
#pragma once

#include "engine/run/events.h"
#include "engine/run/surroundings.h"
#include "engine/spec/draft_facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A fact that the context does not state, or states in another form, has its initial value: other programs and other versions
/// write contexts, too.
struct AttemptFacts {
    Surroundings surroundings;
    std::string deviceName, precision;
    std::string products = "torch";  ///< the library for matrix products
    std::vector<std::string> dataHashes;
    bool isDescribed = false;                                    ///< it states sizes of vocabularies
    std::int64_t vocabSource = 0, vocabTarget = 0, classes = 0;  ///< at least 0; 0: the data have none
    std::int64_t stepsPerEpoch = 0;                              ///< 0: not known
    std::int64_t jobs = 1;                                       ///< how many runs at once were asked for
    std::int64_t processes = 1;                                  ///< in how many processes the run was trained
    std::optional<double> firstStepSeconds;
    std::optional<StepsCaptured> captured;
    std::optional<RunsAtOnce> runsAtOnce;  ///< nothing if it trained alone, or if its program was killed

    /// The sizes of the data to count a variant with: one stack has one vocabulary, and a model of images none.
    AssumedVocabulary sizes() const;
};

/// Reads an AttemptRecord::context.
AttemptFacts attemptFacts(const std::string& context);

/// The context of an attempt that has just begun in these surroundings, in a program that was asked to train so many runs
/// (`jobs`) at once, each in so many processes.
std::string beginningContext(const Surroundings& surroundings, int jobs, int processes);

}  // namespace heddle
