// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/decoding.h"

#include "engine/decode/search_batch.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"
#include "engine/train/device_batch.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

/// What is to be decoded: a job for each line, in the order of the lines.
struct Plan {
    std::vector<Job> jobs;
    std::vector<std::size_t> lengths;  ///< lines of similar length stand in one batch
};

/// Lines by length, cut into batches of at most `batchTokens` tokens.
std::vector<std::vector<std::size_t>> planBatches(const Plan& plan, const DecodeOptions& options) {
    using Method = SearchOptions::Method;
    const SearchOptions& search = options.search;
    const std::int64_t rows = search.method == Method::Beam ? search.beam : search.method == Method::Sample ? search.nBest : 1;
    std::vector<std::size_t> order(plan.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return plan.lengths[a] < plan.lengths[b]; });
    std::vector<std::vector<std::size_t>> batches;
    for (const auto i : order) {
        const std::int64_t tokens = plan.jobs[i].limit + static_cast<std::int64_t>(plan.jobs[i].prefix.size()) - 1;
        const bool fits =
            !batches.empty() && static_cast<std::int64_t>(batches.back().size() + 1) * rows * tokens <= options.batchTokens;
        if (!fits) batches.emplace_back();
        batches.back().push_back(i);
    }
    return batches;
}

/// The encoder's output for some sources, <eos> after each.
Memory encodeSources(const Model& model, const std::vector<Sentence>& sources, const std::vector<std::size_t>& indices,
                     const DecodeOptions& options) {
    std::size_t width = 0;
    for (const auto i : indices) width = std::max(width, sources[i].size() + 1);
    std::vector<std::int64_t> ids(indices.size() * width, kPad);
    for (std::size_t row = 0; row < indices.size(); ++row) {
        const Sentence& source = sources[indices[row]];
        std::copy(source.begin(), source.end(), ids.begin() + static_cast<std::ptrdiff_t>(row * width));
        ids[row * width + source.size()] = kEos;
    }
    const auto rows = static_cast<std::int64_t>(indices.size());
    const at::Tensor source_BS = idsToDevice(ids, {rows, static_cast<std::int64_t>(width)}, options.device);
    Forward forward;
    forward.taps = &noTaps();
    const AutocastScope autocast(options.device, options.precision);
    return {model.encode({source_BS, {}}, forward), source_BS};
}

/// Decodes all jobs; `memoryOf` gives the memory of a batch of them.
std::optional<std::vector<NBest>> decodeAll(const Model& model, const Plan& plan, const DecodeOptions& options,
                                            const std::function<Memory(const std::vector<std::size_t>&)>& memoryOf) {
    std::vector<NBest> outputs(plan.jobs.size());
    for (const auto& indices : planBatches(plan, options)) {
        std::vector<Job> jobs;
        for (const auto i : indices) jobs.push_back(plan.jobs[i]);
        SearchBatch batch(model, std::move(jobs), memoryOf(indices), options);
        while (!batch.done()) {
            if (options.interrupted()) return std::nullopt;
            batch.advance();
        }
        for (std::size_t row = 0; row < indices.size(); ++row) outputs[indices[row]] = std::move(batch.results()[row]);
    }
    return outputs;
}

std::uint64_t lineNumber(const DecodeOptions& options, std::size_t i) {
    return static_cast<std::uint64_t>(options.search.firstLine) + (options.lines.empty() ? i : options.lines.at(i));
}

void requireTranslator(const ResolvedVariant& variant) {
    if (variant.decoder.empty())
        throwInvalid("this model has no decoder: it writes no text", "topology " + variant.topology,
                     "translate with a model of topology encdec");
    if (variant.encoder.empty())
        throwInvalid("this model has no encoder: it reads no source to translate", "topology " + variant.topology,
                     "continue texts with it (heddle generate), or use a model of topology encdec");
}

void requireLanguageModel(const ResolvedVariant& variant) {
    if (variant.decoder.empty())
        throwInvalid("this model has no decoder: it writes no text", "topology " + variant.topology,
                     "continue texts with a model of topology decoder");
    if (!variant.encoder.empty())
        throwInvalid("this model writes what its encoder read, and continues no text", "topology " + variant.topology,
                     "translate with it (heddle translate), or use a model of topology decoder");
}

}  // namespace

std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen) { return std::min(maxLen, 2 * sourceTokens + 10); }

std::optional<std::vector<NBest>> decodeTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                     const DecodeOptions& options) {
    requireTranslator(model.variant());
    checkSearch(options.search);
    const at::NoGradGuard noGrad;
    const std::int64_t longest = longestSequence(model.variant(), builtinCatalogue()), wanted = options.search.maxTokens;
    Plan plan;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto length = static_cast<std::int64_t>(sources[i].size());
        const std::int64_t limit = wanted > 0 ? std::min(longest, wanted) : outputLimit(length, longest);
        plan.jobs.push_back({{kSos}, limit, lineNumber(options, i)});
        plan.lengths.push_back(sources[i].size());
    }
    return decodeAll(model, plan, options,
                     [&](const auto& indices) { return encodeSources(model, sources, indices, options); });
}

std::optional<std::vector<NBest>> decodeContinuations(const Model& model, const std::vector<Sentence>& prompts,
                                                      const DecodeOptions& options) {
    requireLanguageModel(model.variant());
    checkSearch(options.search);
    const at::NoGradGuard noGrad;
    const std::int64_t longest = longestSequence(model.variant(), builtinCatalogue()), wanted = options.search.maxTokens;
    Plan plan;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        Sentence prefix{kSos};
        prefix.insert(prefix.end(), prompts[i].begin(), prompts[i].end());
        // The last token that is written need not be read.
        const std::int64_t room = longest + 1 - static_cast<std::int64_t>(prefix.size());
        if (room < 1)
            throwInvalid("the beginning has " + std::to_string(prefix.size()) + " tokens with <sos>, the model takes " +
                             std::to_string(longest),
                         "line " + std::to_string(lineNumber(options, i) + 1), "shorten it");
        plan.lengths.push_back(prefix.size());
        plan.jobs.push_back({std::move(prefix), wanted > 0 ? std::min(room, wanted) : room, lineNumber(options, i)});
    }
    return decodeAll(model, plan, options, [](const auto&) { return Memory{}; });
}

std::optional<std::vector<Sentence>> greedyDecode(const Model& model, const std::vector<Sentence>& sources,
                                                  const DecodeOptions& options) {
    DecodeOptions greedy = options;
    greedy.search = {};
    auto decoded = decodeTranslations(model, sources, greedy);
    if (!decoded) return std::nullopt;
    std::vector<Sentence> outputs;
    for (NBest& one : *decoded) outputs.push_back(std::move(one.front().tokens));
    return outputs;
}

}  // namespace heddle
