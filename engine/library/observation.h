// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/precision.h"
#include "engine/library/opened_model.h"
#include "engine/run/inspection.h"
#include "engine/train/report/sentence_pass.h"

#include <cstdint>
#include <string>

namespace heddle {

/// Encodes a text for the task; `target` is its translation, for a task that has one. Throws as InspectionSession::observe.
SentenceInput sentenceOfText(const OpenedModel& opened, const std::string& text, const std::string& target);

/// The name of a label of this task: a token, a class, or the number of a position.
std::string labelName(const RunData& data, std::int64_t label);

/// Runs `model` on the sentence and adds maps, means of gates and losses of labels to `made`. `data` names the labels.
void addPass(const Model& model, const Task& task, const RunData& data, const SentenceInput& sentence,
             const ComputePlace& place, Observation& made);

}  // namespace heddle
