// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

// The shape of a variant document, in one place: what parsing, merging, compacting and `--set` agree on.

/// The member that names a slot's block: "source" for the embedding, "kind" everywhere else.
std::string kindKey(const std::string& slot);

/// A slot's value as an object: the bare string "grc" is short for {"kind":"grc"}.
Json slotObject(const std::string& slot, const Json& value);

/// Slots of the whole model: embed, position, head, init.
const std::vector<std::string>& globalSlots();

/// Names of the sublayers a stack ("encoder", "decoder") may hold; also its list when a document gives none.
const std::vector<std::string>& sublayerNames(const std::string& stack);

/// Schema of a sublayer's slots ("self", "cross", "ffn").
const FieldSchema& sublayerSchema(const std::string& sublayer);

/// The slots of a sublayer, in the order of evaluation.
std::vector<std::string> sublayerSlots(const std::string& sublayer);

/// Every size under its key in `dims`; an unknown vocabulary is "from_data".
Json dimsJson(const Dims& dims);

/// Member `key` of an object schema; our own mistake if there is none.
const FieldSchema& fieldOf(const FieldSchema& schema, const std::string& key);

}  // namespace heddle
