// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/batch_dump.h"

#include "engine/base/error.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>

namespace heddle {
namespace {

constexpr const char* kFormat = "peer-batches-1";
constexpr const char* kAdvice = "write it again with peers.py --dump-batches";

std::int64_t withoutPadding(const std::vector<std::int64_t>& ids) {
    return static_cast<std::int64_t>(ids.size()) - std::count(ids.begin(), ids.end(), kPad);
}

}  // namespace

BatchDump::BatchDump(const std::string& file) : file_(file) {
    std::ifstream in(file, std::ios::binary);
    std::string line;
    if (!std::getline(in, line)) throwInvalid("cannot read the batches", file, kAdvice);
    header_ = parseJson(line, file);
    if (!header_.is_object() || header_.value("format", "") != kFormat || !header_.contains("arrays"))
        throwInvalid(std::string("the batches are not of format ") + kFormat, file, kAdvice);
    data_.assign(std::istreambuf_iterator<char>(in), {});
}

BatchDump::Array BatchDump::read(const Json& entry) const {
    Array array{entry.at("shape"), {}};
    const auto count =
        static_cast<std::size_t>(std::accumulate(array.shape.begin(), array.shape.end(), std::int64_t{1}, std::multiplies<>()));
    const std::size_t offset = entry.at("offset"), bytes = count * sizeof(std::int32_t);
    if (offset > data_.size() || bytes > data_.size() - offset)
        throwInvalid("the file of batches is truncated", file_, kAdvice);
    std::vector<std::int32_t> stored(count);
    std::memcpy(stored.data(), data_.data() + offset, bytes);
    array.values.assign(stored.begin(), stored.end());
    return array;
}

std::vector<Batch> BatchDump::batches(const std::string& workload) const {
    std::map<std::int64_t, Arrays> byNumber;
    for (const Json& entry : header_.at("arrays"))
        if (entry.at("workload") == workload) byNumber[entry.at("batch")][entry.at("name")] = read(entry);
    if (byNumber.empty())
        throwInvalid("no batches of workload \"" + workload + "\"", file_, "dump it too: peers.py --only " + workload);
    std::vector<Batch> made;
    for (const auto& [number, arrays] : byNumber)
        made.push_back(batchOf(arrays, file_ + ", " + workload + " " + std::to_string(number)));
    return made;
}

Batch BatchDump::batchOf(const Arrays& arrays, const std::string& where) const {
    const auto array = [&](const char* name, std::size_t axes) -> const Array& {
        const auto found = arrays.find(name);
        if (found == arrays.end() || found->second.shape.size() != axes)
            throwInvalid(std::string("array \"") + name + "\" is missing or has another number of axes", where, kAdvice);
        return found->second;
    };
    Batch b;
    if (arrays.contains("src")) {
        const Array &source = array("src", 2), &in = array("tin", 2), &out = array("tout", 2);
        if (in.shape != out.shape || in.shape[0] != source.shape[0])
            throwInvalid("src, tin and tout have different numbers of rows or columns", where, kAdvice);
        b.rows = source.shape[0], b.sourceWidth = source.shape[1], b.targetWidth = in.shape[1];
        b.source = source.values, b.targetIn = in.values;
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            if (out.values[i] == kPad) continue;
            b.positions.push_back(static_cast<std::int64_t>(i));
            b.labels.push_back(out.values[i]);
        }
    } else {
        const Array& ids = array("ids", 2);
        b.rows = ids.shape[0], b.sourceWidth = ids.shape[1];
        b.source = ids.values;
        if (arrays.contains("pos")) {
            b.positions = array("pos", 1).values, b.labels = array("lab", 1).values;
        } else if (arrays.contains("labels") && arrays.at("labels").shape.size() == 1) {
            b.labels = array("labels", 1).values;
        } else {
            b.labels = array("labels", 2).values;
            b.targetIn.swap(b.source), b.targetWidth = b.sourceWidth, b.sourceWidth = 0;
            b.positions.resize(b.targetIn.size());
            std::iota(b.positions.begin(), b.positions.end(), 0);
        }
        if (!b.positions.empty() && b.positions.size() != b.labels.size())
            throwInvalid("different numbers of positions and labels", where, kAdvice);
    }
    b.sourceTokens = withoutPadding(b.source);
    b.labelCount = static_cast<std::int64_t>(b.labels.size());
    return b;
}

}  // namespace heddle
