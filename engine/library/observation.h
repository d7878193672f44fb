// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/precision.h"
#include "engine/library/opened_model.h"
#include "engine/run/inspection.h"
#include "engine/train/report/sentence_pass.h"

#include <string>

namespace heddle {

/// A text as a sentence that the task reads; `target` is the translation for a task that has one. Throws as
/// InspectionSession::observe.
SentenceInput sentenceOfText(const OpenedModel& opened, const std::string& text, const std::string& target);

/// Adds to `made` what `model` shows of the sentence: maps, means of gates, losses of labels. `data` names the labels.
void addPass(const Model& model, const Task& task, const RunData& data, const SentenceInput& sentence,
             const ComputePlace& place, Observation& made);

}  // namespace heddle
