// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/data/batching/batch.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Batches written by another engine, so that both train on the same data. Format "peer-batches-1": a JSON line
/// {"format","arrays":[{"workload","batch","name","shape","offset"}]}, padded to a multiple of 64 bytes, then little-endian
/// int32 arrays at the offsets given. Arrays of a batch: src, tin, tout (translation); ids, pos, lab (masked words: where and
/// which); ids, labels (next words, or classes of the rows); src_len, tgt_len.
class BatchDump {
public:
    /// Reads the whole file; throws Error(InvalidInput) when it is not of that format.
    explicit BatchDump(const std::string& file);

    /// The batches of a workload, in order. Throws Error(InvalidInput) when there are none, or when their arrays are
    /// inconsistent.
    std::vector<Batch> batches(const std::string& workload) const;

private:
    struct Array {
        std::vector<std::int64_t> shape, values;
    };
    using Arrays = std::map<std::string, Array>;
    Array read(const Json& entry) const;
    Batch batchOf(const Arrays& arrays, const std::string& where) const;

    std::string file_, data_;
    Json header_;
};

}  // namespace heddle
