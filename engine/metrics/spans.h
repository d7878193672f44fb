// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/classification.h"

#include <string>
#include <vector>

namespace heddle {

/// Words begin … end-1 of one sentence, labelled `type`.
struct TagSpan {
    std::int64_t begin = 0, end = 0;
    std::string type;

    auto operator<=>(const TagSpan&) const = default;
};

/// What begins a span.
enum class SpanScheme {
    Conlleval,  ///< B, and an I after O or after another type: conlleval's rule and seqeval's default mode
    Strict,     ///< B only; an I that does not continue a span is ignored: seqeval's mode="strict" with IOB2
};

using TagSequence = std::vector<std::string>;  ///< of one sentence: "O", "B-PER", "I-PER"; "B" and "I" have the type "_"

/// The spans of one sentence, in order. Throws Error(InvalidInput) naming the word for a tag that is none of BIO.
std::vector<TagSpan> spansOf(const TagSequence& tags, SpanScheme scheme);

struct SpanReport {
    SpanScheme scheme = SpanScheme::Conlleval;
    ClassScore micro;                ///< over the spans of all types; a span is right where begin, end and type are
    double macroF1 = 0;              ///< mean over the types; NaN where there are none
    std::vector<std::string> types;  ///< that occur in truth or prediction, sorted
    std::vector<ClassScore> perType;
    std::int64_t words = 0, wordsRight = 0;
};

/// Compares the spans sentence by sentence; shares over nothing are 0. Throws Error(InvalidInput) for unequal numbers of
/// sentences, or of words in one.
SpanReport scoreSpans(const std::vector<TagSequence>& truth, const std::vector<TagSequence>& predicted, SpanScheme scheme);

/// "span_f1" (micro), "precision", "recall", "macro_span_f1", "accuracy" (of tags), then "span_f1/TYPE" of every type.
/// n: true spans, or words.
std::vector<MetricValue> spanValues(const SpanReport& report);

}  // namespace heddle
