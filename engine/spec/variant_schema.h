// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"

#include <string>
#include <vector>

namespace heddle {

// The structure of a variant document, shared by parsing, merging, compacting and `--set`.

/// The member that names a slot's block: "source" for the embedding, "rule" for the score carry, "kind" everywhere else.
std::string kindKey(const std::string& slot);

/// A slot's value as an object: the bare string "grc" is short for {"kind":"grc"}.
Json slotObject(const std::string& slot, const Json& value);

/// Slots of the whole model: embed, position, head, init.
const std::vector<std::string>& globalSlots();

/// Slots of a whole stack: share, h0.
const std::vector<std::string>& stackSlots();

/// The stacks of a topology, in the order of evaluation.
std::vector<std::string> stacksOf(Topology topology);

/// Names of the sublayers a stack ("encoder", "decoder") may hold.
const std::vector<std::string>& sublayerNames(const std::string& stack);

/// The standard sublayers of a stack.
std::vector<std::string> standardSublayers(Topology topology, const std::string& stack);

/// The place of a sublayer, which determines its slots' defaults.
struct SublayerPlace {
    std::string stack, name;
};

/// The default block of a slot: a "star" sublayer scores with bilinear, a decoder's "self" is causal, ….
std::string standardBlock(const SublayerPlace& place, const std::string& slot);

/// The name of a place in `defaults.score.sites` ("enc_self", "dec_self", "cross"); empty: not a site.
std::string scoreSite(const SublayerPlace& place);

/// Schema of a sublayer's slots ("self", "cross", "ffn", "ffn2", "star", "lstm").
const FieldSchema& sublayerSchema(const std::string& sublayer);

/// The slots of a sublayer, in the order of evaluation.
std::vector<std::string> sublayerSlots(const std::string& sublayer);

/// All sizes by their keys in `dims`; an unknown vocabulary is "from_data".
Json dimsJson(const Dims& dims);

/// Member `key` of an object schema; it must exist.
const FieldSchema& fieldOf(const FieldSchema& schema, const std::string& key);

}  // namespace heddle
