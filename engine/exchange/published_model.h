// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/exchange.h"
#include "engine/spec/variant_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class PublishedHead { None, Masked, Classes, Next };

/// What config.json of transformers says of a BERT or a GPT-2, as far as Heddle can compute it.
struct PublishedModel {
    PublishedForm form = PublishedForm::Bert;
    PublishedHead head = PublishedHead::Masked;
    std::int64_t width = 0, inner = 0, heads = 0, layers = 0, positions = 0, tokenTypes = 0, words = 0;
    std::string activation = "gelu";  ///< word of ffn.act
    double epsilon = 1e-12, deviation = 0.02, embedDropout = 0.1, dropout = 0.1, attentionDropout = 0.1, headDropout = 0.1;
    bool isTied = true;
    std::vector<std::string> classes;  ///< in the order of their rows
};

/// Throws Error(InvalidInput) naming `where` and the first option that Heddle does not have, or that has a value of another
/// type.
PublishedModel readPublishedModel(const Json& config, const std::string& where);

/// config.json.
Json configOf(const PublishedModel& model);

/// The variant; vocabulary sizes and classes are those that the data have. A head None becomes Masked.
Json variantOf(const PublishedModel& model);

/// Throws Error(InvalidInput) naming the first setting in which the variant differs from the model of this form with its sizes.
PublishedModel requirePublishedForm(const VariantSpec& variant, PublishedForm form);

}  // namespace heddle
