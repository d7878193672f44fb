// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/decoding.h"

#include "engine/base/error.h"
#include "engine/data/loading/output_limit.h"
#include "engine/decode/device_search.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/cost.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

namespace heddle {
namespace {

/// One job per line, in the order of the lines.
struct Plan {
    std::vector<Job> jobs;
    std::vector<std::size_t> lengths;  ///< sort key: lines of similar length share a batch
};

/// Maximum number of positions of a path of the job.
std::int64_t tokensOf(const Job& job) { return job.limit + static_cast<std::int64_t>(job.prefix.size()) - 1; }

/// Sorts the lines by length and groups them into batches of at most `mostTokens` tokens.
std::vector<std::vector<std::size_t>> planBatches(const Plan& plan, std::int64_t rows, std::int64_t mostTokens) {
    std::vector<std::size_t> order(plan.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return plan.lengths[a] < plan.lengths[b]; });
    std::vector<std::vector<std::size_t>> batches;
    for (const auto i : order) {
        const bool fits = !batches.empty() &&
                          static_cast<std::int64_t>(batches.back().size() + 1) * rows * tokensOf(plan.jobs[i]) <= mostTokens;
        if (!fits) batches.emplace_back();
        batches.back().push_back(i);
    }
    return batches;
}

/// Encodes the sources of these indices, each followed by <eos>.
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
    const Forward forward;
    const AutocastScope autocast(options.device, options.precision);
    return {model.encode({source_BS, {}}, forward), source_BS};
}

/// Starts the search of one thread. Consecutive batches of one shape reuse the DeviceSearch.
class ThreadSearch {
public:
    ThreadSearch(const Model& model, const DecodeOptions& options)
        : model_(model),
          options_(options),
          isOnDevice_((options.device.is_cuda() || options.makeGraph) && DeviceSearch::fits(model, options)),
          longest_(isOnDevice_ ? longestSequence(model.variant()) : 0) {}

    TextSearch& begin(std::vector<Job> jobs, const Memory& memory) {
        if (!isOnDevice_) {
            onHost_ = std::make_unique<HostSearch>(model_, std::move(jobs), memory, options_);
            return *onHost_;
        }
        const DeviceSearch::Shape shape = DeviceSearch::shapeOf(jobs, memory, longest_);
        if (!onDevice_ || shape != shape_) {
            if (onDevice_ && onDevice_->captureFailed()) options_.makeGraph = {};
            onDevice_.reset();  // frees its memory before the next allocation
            onDevice_ = std::make_unique<DeviceSearch>(model_, options_, shape);
            shape_ = shape;
        }
        onDevice_->begin(std::move(jobs), memory);
        return *onDevice_;
    }

private:
    const Model& model_;
    DecodeOptions options_;
    bool isOnDevice_;
    std::int64_t longest_;  ///< the model's maximum sequence length
    std::unique_ptr<HostSearch> onHost_;
    std::unique_ptr<DeviceSearch> onDevice_;
    DeviceSearch::Shape shape_;
};

using MemoryOf = std::function<Memory(const std::vector<std::size_t>&)>;

/// Decodes batches in parallel, one per CPU thread, since one step is too little work to share among threads. On a GPU batches
/// run sequentially.
class Decoder {
public:
    Decoder(const Model& model, const Plan& plan, const DecodeOptions& options, MemoryOf memoryOf)
        : model_(model), plan_(plan), options_(options), memoryOf_(std::move(memoryOf)), outputs_(plan.jobs.size()) {}

    std::optional<std::vector<NBest>> run() {
        using Method = SearchOptions::Method;
        const SearchOptions& search = options_.search;
        const std::int64_t rows = search.method == Method::Beam     ? search.beam
                                  : search.method == Method::Sample ? search.nBest
                                                                    : 1;
        std::int64_t threads = options_.device.is_cpu() && !options_.oneByOne ? at::get_num_threads() : 1, all = 0;
        for (const Job& job : plan_.jobs) all += rows * tokensOf(job);
        const std::int64_t share = std::max(kLeastTokens, all / (threads * kBatchesAThread));
        const std::int64_t most = threads > 1 ? std::min(options_.batchTokens, share) : options_.batchTokens;
        batches_ = planBatches(plan_, rows, options_.oneByOne ? 0 : most);
        left_ = batches_.size();
        reportObstacle();
        threads = std::min(threads, static_cast<std::int64_t>(batches_.size()));
        if (threads > 1)
            at::parallel_for(0, threads, 1, [this](std::int64_t begin, std::int64_t end) {
                for (std::int64_t thread = begin; thread < end; ++thread) decodeBatches(thread == 0);
            });
        else
            decodeBatches(true);
        if (stopped_) return std::nullopt;
        return std::move(outputs_);
    }

private:
    static constexpr std::int64_t kLeastTokens = 1024;  ///< smaller batches read the weights for too few rows
    static constexpr std::int64_t kBatchesAThread = 4;  ///< balances the load

    void reportObstacle() const {
        const bool isWanted = options_.makeGraph && options_.kept == DecodingMemory::KeysAndValues &&
                              options_.search.method != SearchOptions::Method::Sample;
        if (!isWanted || !model_.stepObstacle().empty()) return;  // decoding without a cache is reported elsewhere
        if (const std::string obstacle = model_.stepCaptureObstacle(); !obstacle.empty()) options_.onCaptureFailure(obstacle);
    }

    /// Decodes batches until none is left. `polls`: this thread may call options.interrupted().
    void decodeBatches(bool polls) {
        const at::NoGradGuard noGrad;  // thread-local
        try {
            ThreadSearch search(model_, options_);
            while (const std::vector<std::size_t>* const indices = nextBatch()) decode(search, *indices, polls);
        } catch (...) {
            stopped_ = true;
            throw;
        }
    }

    /// Takes the longest remaining batch; null: none.
    const std::vector<std::size_t>* nextBatch() {
        std::size_t left = left_;
        while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {}
        return left > 0 && !stopped_ ? &batches_[left - 1] : nullptr;
    }

    void decode(ThreadSearch& search, const std::vector<std::size_t>& indices, bool polls) {
        std::vector<Job> jobs;
        for (const auto i : indices) jobs.push_back(plan_.jobs[i]);
        TextSearch& batch = search.begin(std::move(jobs), memoryOf_(indices));
        while (!batch.done()) {
            if (polls && options_.interrupted()) stopped_ = true;
            if (stopped_) return;
            batch.advance();
        }
        for (std::size_t row = 0; row < indices.size(); ++row) outputs_[indices[row]] = std::move(batch.results()[row]);
    }

    const Model& model_;
    const Plan& plan_;
    const DecodeOptions& options_;
    MemoryOf memoryOf_;
    std::vector<std::vector<std::size_t>> batches_;
    std::atomic<std::size_t> left_ = 0;  ///< batches not yet started
    std::atomic<bool> stopped_ = false;
    std::vector<NBest> outputs_;
};

std::uint64_t lineNumber(const DecodeOptions& options, std::size_t i) {
    return static_cast<std::uint64_t>(options.search.firstLine) + i;
}

void requireTranslator(const ResolvedVariant& variant) {
    if (variant.decoder.empty())
        throwInvalid("the model has no decoder and cannot generate text", "topology " + wordOf(variant.topology),
                     "use a model of topology encdec");
    if (variant.encoder.empty())
        throwInvalid("the model has no encoder and cannot translate", "topology " + wordOf(variant.topology),
                     "use heddle generate, or a model of topology encdec");
}

void requireLanguageModel(const ResolvedVariant& variant) {
    if (variant.decoder.empty())
        throwInvalid("the model has no decoder and cannot generate text", "topology " + wordOf(variant.topology),
                     "use a model of topology decoder");
    if (!variant.encoder.empty())
        throwInvalid("the model translates and cannot continue a text", "topology " + wordOf(variant.topology),
                     "use heddle translate, or a model of topology decoder");
}

}  // namespace

std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen) { return longestOutput(sourceTokens, maxLen); }

std::optional<std::vector<NBest>> decodeTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                     const DecodeOptions& options) {
    requireTranslator(model.variant());
    checkSearch(options.search);
    const at::NoGradGuard noGrad;
    const std::int64_t longest = longestSequence(model.variant()), wanted = options.search.maxTokens;
    Plan plan;
    std::vector<Sentence> read;       // without empty sources
    std::vector<std::size_t> places;  // of the sources read
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].empty()) continue;
        const auto length = static_cast<std::int64_t>(sources[i].size());
        const std::int64_t limit = wanted > 0 ? std::min(longest, wanted) : outputLimit(length, longest);
        plan.jobs.push_back({{kSos}, limit, lineNumber(options, i)});
        plan.lengths.push_back(sources[i].size());
        read.push_back(sources[i]);
        places.push_back(i);
    }
    auto decoded =
        Decoder(model, plan, options, [&](const auto& indices) { return encodeSources(model, read, indices, options); }).run();
    if (!decoded || read.size() == sources.size()) return decoded;
    std::vector<NBest> all(sources.size(), NBest(1));
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = std::move((*decoded)[i]);
    return all;
}

std::optional<std::vector<NBest>> decodeContinuations(const Model& model, const std::vector<Sentence>& prompts,
                                                      const DecodeOptions& options) {
    requireLanguageModel(model.variant());
    checkSearch(options.search);
    const at::NoGradGuard noGrad;
    const std::int64_t longest = longestSequence(model.variant()), wanted = options.search.maxTokens;
    Plan plan;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        Sentence prefix{kSos};
        prefix.insert(prefix.end(), prompts[i].begin(), prompts[i].end());
        // The last token produced is never read.
        const std::int64_t longestContinuation = longest + 1 - static_cast<std::int64_t>(prefix.size());
        if (longestContinuation < 1)
            throwInvalid("the prompt has " + std::to_string(prefix.size()) +
                             " tokens including <sos>, the model accepts at most " + std::to_string(longest),
                         "line " + std::to_string(lineNumber(options, i) + 1), "shorten it");
        plan.lengths.push_back(prefix.size());
        plan.jobs.push_back({std::move(prefix), wanted > 0 ? std::min(longestContinuation, wanted) : longestContinuation,
                             lineNumber(options, i)});
    }
    return Decoder(model, plan, options, [](const auto&) { return Memory{}; }).run();
}

std::optional<std::vector<Sentence>> bestTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                      const DecodeOptions& options) {
    auto decoded = decodeTranslations(model, sources, options);
    if (!decoded) return std::nullopt;
    std::vector<Sentence> outputs;
    for (NBest& one : *decoded) outputs.push_back(std::move(one.front().tokens));
    return outputs;
}

}  // namespace heddle
