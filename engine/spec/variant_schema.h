// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

// The shape of a variant document, in one place: what parsing, merging, compacting and `--set` agree on.

/// The member that names a slot's block: "source" for the embedding, "rule" for the score carry, "kind" everywhere else.
std::string kindKey(const std::string& slot);

/// A slot's value as an object: the bare string "grc" is short for {"kind":"grc"}.
Json slotObject(const std::string& slot, const Json& value);

/// Slots of the whole model: embed, position, head, init.
const std::vector<std::string>& globalSlots();

/// Slots of a whole stack: share, h0.
const std::vector<std::string>& stackSlots();

/// The stacks of a topology, in the order of evaluation.
std::vector<std::string> stacksOf(const std::string& topology);

/// Names of the sublayers a stack ("encoder", "decoder") may hold.
const std::vector<std::string>& sublayerNames(const std::string& stack);

/// The sublayers of a stack when a document gives no list.
std::vector<std::string> standardSublayers(const std::string& topology, const std::string& stack);

/// Where a sublayer stands: what its slots' defaults depend on.
struct SublayerPlace {
    std::string stack, name;
};

/// The block of a slot when a document says nothing: a "star" sublayer scores with bilinear, a decoder's "self" is causal, ….
std::string standardBlock(const SublayerPlace& place, const std::string& slot);

/// The name of a place in `defaults.score.sites` ("enc_self", "dec_self", "cross"); empty where defaults carry no score.
std::string scoreSite(const SublayerPlace& place);

/// Schema of a sublayer's slots ("self", "cross", "ffn", "star", "lstm").
const FieldSchema& sublayerSchema(const std::string& sublayer);

/// The slots of a sublayer, in the order of evaluation.
std::vector<std::string> sublayerSlots(const std::string& sublayer);

/// Every size under its key in `dims`; an unknown vocabulary is "from_data".
Json dimsJson(const Dims& dims);

/// Member `key` of an object schema; our own mistake if there is none.
const FieldSchema& fieldOf(const FieldSchema& schema, const std::string& key);

}  // namespace heddle
