// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/library/opened_model.h"
#include "engine/run/patching.h"
#include "engine/train/report/sentence_pass.h"

#include <vector>

namespace heddle {

/// Throws Error(Usage) unless both models have the same parts of the same sizes and the same vocabularies.
void requireSameShape(const OpenedModel& model, const OpenedModel& other);

/// A report without entries; `effects` are those of the other model in place of this one.
PatchReport patchReport(const std::vector<MetricEffect>& effects);

/// Adds a part's entry; `effects` are those of the model with the other's output.
void addEntry(PatchReport& report, const PatchedPart& part, const std::vector<MetricEffect>& effects);

/// Gives every interval's p its Holm correction for all parts, and sorts the parts.
void finish(PatchReport& report);

/// What the first words of two texts have in common, joined by spaces.
std::string commonWords(const std::string& a, const std::string& b);

/// Encoded texts of TextPatchRequest.
struct TextPair {
    SentenceInput clean, corrupt;
};
/// Throws as InspectionSession::patchText. Leaves `prefix` and `seconds` as they are.
TextPatchReport patchTexts(const OpenedModel& opened, const TextPair& texts, const std::vector<PatchedPart>& parts);

/// Throws Error(Usage) for a task that gives no single answer to a text.
void requireAnswer(const RunSpec& spec);

}  // namespace heddle
