// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Sizes of a model after derivation (key_dim = d/heads and so on). All are counts of elements.
struct Dims {
    std::int64_t d = 512, f = 2048, heads = 8, keyDim = 64, valueDim = 64;
    std::int64_t layersEnc = 6, layersDec = 6, maxLen = 128;
    std::int64_t vocabSrc = 0, vocabTgt = 0;  ///< 0: from_data, not known yet; equal where there is one stack
    std::int64_t classes = 2;                 ///< outputs of a classifying head
    std::int64_t tokenTypes = 0;              ///< 0: no embedding of token types
};

/// The place of a block in the model; input of its formulas and checks.
struct BlockContext {
    Dims dims;
    std::string stack;          ///< "encoder", "decoder" or empty (embedding, position, head)
    std::string sublayer;       ///< "self", "cross", "ffn", "star", "lstm" or empty
    std::int64_t layer = 0;     ///< 0-based
    std::int64_t sequence = 0;  ///< sequence length for FLOPs; 0: dims.maxLen
    std::string topology = "encdec";
    std::int64_t width = 0;   ///< of the stream that the block reads; 0: dims.d
    std::int64_t passes = 1;  ///< how often a forward pass applies the block: more than once if layers share weights
    std::string twin;         ///< path of the same block in an earlier sublayer of the layer, which may share with it

    std::int64_t sequenceLength() const { return sequence > 0 ? sequence : dims.maxLen; }
};

/// A value that a block exposes (design section 3). Views draw by quantity and axes, never by a block's name.
struct Exposure {
    enum class Quantity { Weight, Score, UnitGate, SignedGate, Delta, Scalar };
    std::string id;     ///< "gate"; the tap's path is "<module path>.<id>"
    std::string title;  ///< "GRC gate g"
    Quantity quantity = Quantity::Scalar;
    std::string axes;  ///< "BHQK", "BSD", …
    double low = 0, high = 1;
    bool histogram = true, map = false, clampable = false;

    bool isGate() const { return quantity == Quantity::UnitGate || quantity == Quantity::SignedGate; }
};

/// The static description of a block, exported by the block's file. Composer, CLI, validation, cost, storage and the reference
/// manual read nothing else.
struct BlockDescriptor {
    std::string slot;     ///< "residual"
    std::string id;       ///< "grc"; stable, stored in databases
    std::string title;    ///< "Gated residual connection"
    std::string summary;  ///< one sentence
    std::string formula;  ///< Unicode, with the default options: "y = r + σ(W_g r + b_g) ⊙ s"
    /// The formula with these options, of which every one is given; empty: `formula`, whatever the options. See formulaWith().
    std::function<std::string(const Json&)> formulaOf;
    std::string shapes;     ///< of the formula's letters, "r, s, y [B,S,D]; W_g [D,D]"
    std::string reference;  ///< paper and equation, "EAU/GRC eq. 5–6"
    std::string reading;    ///< Heddle's choice where the paper is ambiguous or not followed; may be empty
    std::vector<FieldSchema> parameters;
    std::function<std::int64_t(const BlockContext&, const Json&)> parameterCount;
    std::function<double(const BlockContext&, const Json&)> flopsPerToken;          ///< forward, multiply-add = 2
    std::function<std::optional<Problem>(const BlockContext&, const Json&)> check;  ///< may be empty
    std::function<std::int64_t(const BlockContext&, const Json&)>
        longestSequence;  ///< maximum sequence length; empty: dims.maxLen
    /// Parameter values, by path below the module, that make the block ineffective; empty: none.
    std::vector<std::pair<std::string, double>> neutral;
    bool usesVocabulary = false;  ///< its count needs the sizes of the vocabularies
    /// Parameters, by path below the module, with one row for every class of the data.
    std::vector<std::string> classRows;
    /// Whether, with these options, attention from a sequence to itself learns of keys after the query; empty: never.
    std::function<bool(const Json&)> showsFuture;
    std::vector<Exposure> exposures;

    std::string formulaWith(const Json& options) const { return formulaOf ? formulaOf(options) : formula; }
};

}  // namespace heddle
