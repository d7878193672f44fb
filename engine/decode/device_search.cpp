// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/device_search.h"

#include "engine/decode/sampler.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"

#include <algorithm>
#include <limits>

namespace heddle {
namespace {

class DeviceGreedySampler final : public DeviceSampler {
public:
    DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_J1) const override {
        const NextScores scores = scoresOf(logits_RV);
        const at::Tensor token_R1 = scores.logits_RV.argmax(-1, true);
        const at::Tensor log_R1 = scores.logits_RV.gather(1, token_R1) - scores.logNormaliser_R1;
        return {token_R1, at::zeros_like(token_R1), before_J1 + log_R1.to(at::kDouble)};
    }

    DeviceChoice continued(const DeviceChoice& all) const override { return all; }
};

/// The likeliest tokens of every row in ascending order, [R,count]. Ties go to the smaller token.
at::Tensor likeliestTokens(const at::Tensor& logits_RV, std::int64_t count) {
    constexpr int kSign = 31, kTokenBits = 32;
    const at::Tensor bits_RV = (logits_RV + 0.0).view(at::kInt);  // −0 is 0
    // Read as integers, the bits of negative floats are in reverse order; flip them.
    const at::Tensor order_RV = bits_RV.bitwise_xor(bits_RV.bitwise_right_shift(kSign).bitwise_and(0x7fffffff));
    const at::Tensor token_V = at::arange(logits_RV.size(1), order_RV.options().dtype(at::kLong));
    const at::Tensor key_RV = order_RV.to(at::kLong) * (std::int64_t{1} << kTokenBits) - token_V;
    return std::get<0>(std::get<1>(key_RV.topk(count, -1)).sort(-1));
}

class DeviceBeamSampler final : public DeviceSampler {
public:
    explicit DeviceBeamSampler(std::int64_t beam) : beam_(beam) {}

    DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_JP) const override {
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        const NextScores scores = scoresOf(logits_RV);
        // At most `beam` extensions of a path can continue, and one can end.
        const std::int64_t ofPath = std::min(beam_ + 1, logits_RV.size(1)), jobs = before_JP.size(0);
        const at::Tensor token_RC = likeliestTokens(scores.logits_RV, ofPath);
        const at::Tensor logit_RC = scores.logits_RV.gather(1, token_RC).to(at::kDouble);
        const at::Tensor before_R1 = before_JP.reshape({-1, 1}) - scores.logNormaliser_R1.to(at::kDouble);
        const at::Tensor log_RC = (before_R1 + logit_RC).masked_fill(logit_RC.isfinite().logical_not(), kNone);
        // In this order a stable sort resolves ties by path, then by token. Each path has one ending token, so the first 2 ·
        // beam extensions contain all that can continue.
        const auto [log_JN, place_JN] = log_RC.view({jobs, beam_ * ofPath}).sort(true, -1, true);
        const std::int64_t kept = std::min(2 * beam_, beam_ * ofPath);
        const at::Tensor place_JM = place_JN.narrow(1, 0, kept);
        return {token_RC.view({jobs, beam_ * ofPath}).gather(1, place_JM), place_JM.div(ofPath, "floor"),
                log_JN.narrow(1, 0, kept)};
    }

    DeviceChoice continued(const DeviceChoice& all) const override {
        const at::Tensor order_JM = std::get<1>(all.token_JM.eq(kEos).to(at::kInt).sort(true, -1, false));
        const at::Tensor first_JP = order_JM.narrow(1, 0, beam_);
        return {all.token_JM.gather(1, first_JP), all.parent_JM.gather(1, first_JP), all.logProbability_JM.gather(1, first_JP)};
    }

private:
    std::int64_t beam_;
};

constexpr std::int64_t kPositionsPerCopy = 8;
constexpr double kNoPath = -std::numeric_limits<double>::infinity();

/// Maximum number of positions that a job's text reads.
std::int64_t positionsOf(const Job& job) {
    return std::max<std::int64_t>(0, job.limit) + static_cast<std::int64_t>(job.prefix.size()) - 1;
}

std::int64_t mostPositions(const std::vector<Job>& jobs) {
    std::int64_t most = 0;
    for (const Job& job : jobs) most = std::max(most, positionsOf(job));
    return most;
}

}  // namespace

std::unique_ptr<DeviceSampler> makeDeviceGreedySampler() { return std::make_unique<DeviceGreedySampler>(); }
std::unique_ptr<DeviceSampler> makeDeviceBeamSampler(std::int64_t beam) { return std::make_unique<DeviceBeamSampler>(beam); }

bool DeviceSearch::fits(const Model& model, const DecodeOptions& options) {
    return options.kept == DecodingMemory::KeysAndValues && options.search.method != SearchOptions::Method::Sample &&
           model.stepObstacle().empty() && model.stepCaptureObstacle().empty();
}

DeviceSearch::Shape DeviceSearch::shapeOf(const std::vector<Job>& jobs, const Memory& memory, std::int64_t longest) {
    // The cache has one capacity for all lengths: batches are small (DecodeOptions::batchTokens), so attending over the whole
    // capacity costs less than one capture per length.
    constexpr std::int64_t kMultiple = 32;
    Shape shape;
    shape.jobs = static_cast<std::int64_t>(jobs.size());
    shape.sourceWidth = memory.source_BS.defined() ? memory.source_BS.size(1) : 0;
    shape.capacity = std::min(longest, (mostPositions(jobs) + kMultiple - 1) / kMultiple * kMultiple);
    for (const Job& job : jobs)
        shape.unequalPrefixes = shape.unequalPrefixes || job.prefix.size() != jobs.front().prefix.size();
    return shape;
}

DeviceSearch::DeviceSearch(const Model& model, const DecodeOptions& options, const Shape& shape)
    : model_(model),
      options_(options),
      shape_(shape),
      isBeam_(options.search.method == SearchOptions::Method::Beam),
      paths_(isBeam_ ? options.search.beam : 1),
      sampler_(isBeam_ ? makeDeviceBeamSampler(paths_) : makeDeviceGreedySampler()),
      state_(model.makeReplayableState(shape.capacity)) {
    const at::TensorOptions longs = at::TensorOptions(at::kLong).device(options.device);
    position_1_ = at::zeros({1}, longs);
    ids_R1_ = at::zeros({shape.jobs * paths_, 1}, longs);
    logProbability_JP_ = at::zeros({shape.jobs, paths_}, longs.dtype(at::kDouble));
    prefix_JL_ = at::zeros({shape.jobs, shape.capacity + 1}, longs);
    prefixLength_J1_ = at::zeros({shape.jobs, 1}, longs);
    path_P_ = at::arange(paths_, longs);
    firstRow_J1_ = at::arange(shape.jobs, longs).unsqueeze(1) * paths_;
}

void DeviceSearch::begin(std::vector<Job> jobs, const Memory& memory) {
    const std::int64_t width = shape_.capacity + 1;
    std::vector<std::int64_t> prefixes(static_cast<std::size_t>(shape_.jobs * width), kEos), lengths;
    shared_ = width;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const Sentence& prefix = jobs[job].prefix;
        std::copy(prefix.begin(), prefix.end(), prefixes.begin() + static_cast<std::ptrdiff_t>(job) * width);
        lengths.push_back(static_cast<std::int64_t>(prefix.size()));
        shared_ = std::min(shared_, lengths.back());
    }
    prefix_JL_.copy_(idsToDevice(prefixes, prefix_JL_.sizes(), options_.device));
    prefixLength_J1_.copy_(idsToDevice(lengths, prefixLength_J1_.sizes(), options_.device));
    memory_ = memory;
    last_ = mostPositions(jobs);
    length_ = 0;
    texts_.emplace(std::move(jobs), options_.search);
}

void DeviceSearch::advance() {
    if (length_ == 0) readFirst();
    const std::int64_t until = std::min(last_, collected_ + kPositionsPerCopy);
    while (length_ < until) readNext();
    collectChoices();
}

/// Reads the first `shared_` tokens of all prefixes in one step; only the first path of each job counts.
void DeviceSearch::readFirst() {
    position_1_.fill_(shared_ - 1);
    logProbability_JP_.fill_(kNoPath);
    logProbability_JP_.select(1, 0).fill_(0);
    Memory memory;
    if (memory_.hidden_BSD.defined()) memory = {ofPaths(memory_.hidden_BSD), ofPaths(memory_.source_BS)};
    const at::Tensor ids_RT = ofPaths(prefix_JL_.narrow(1, 0, shared_));
    choose(logits([&] { return state_->begin(memory, ids_RT, forward_); }));
    length_ = shared_;
    collected_ = shared_ - 1;
}

void DeviceSearch::readNext() {
    if (isWarm_ && !graph_ && options_.makeGraph && !captureFailed_) capture();
    if (graph_)
        graph_->replay();
    else
        work();
    isWarm_ = true;  // the first run fills library caches, which must not happen during capture
    ++length_;
}

void DeviceSearch::capture() {
    auto graph = options_.makeGraph();
    try {
        graph->capture([this] { work(); });
    } catch (const c10::Error& error) {
        captureFailed_ = true;
        options_.onCaptureFailure(error.what_without_backtrace());
        return;
    }
    graph_ = std::move(graph);
}

/// Logits of the last position of `read()`, [R,V].
at::Tensor DeviceSearch::logits(const std::function<at::Tensor()>& read) const {
    const AutocastScope autocast(options_.device, options_.precision);
    return nextLogits(model_, read().select(1, -1));
}

/// Runs one step.
void DeviceSearch::work() {
    choose(logits([&] { return state_->step(ids_R1_, position_1_, forward_); }));
}

/// Appends the choices to the history and makes the continued ones the next input.
void DeviceSearch::choose(const at::Tensor& logits_RV) {
    const DeviceChoice all = sampler_->choose(logits_RV, logProbability_JP_);
    const at::Tensor all_JM3 =
        at::stack({all.token_JM.to(at::kDouble), all.parent_JM.to(at::kDouble), all.logProbability_JM}, -1);
    if (!history_CJM3_.defined())  // before any capture
        history_CJM3_ = at::zeros({shape_.capacity, shape_.jobs, all_JM3.size(1), all_JM3.size(2)}, all_JM3.options());
    history_CJM3_.index_copy_(0, position_1_, all_JM3.unsqueeze(0));
    DeviceChoice next = sampler_->continued(all);
    if (shape_.unequalPrefixes) next = withPrefixes(next);
    ids_R1_.copy_(next.token_JM.reshape({-1, 1}));
    logProbability_JP_.copy_(next.logProbability_JM);
    if (paths_ > 1) state_->reorder((next.parent_JM + firstRow_J1_).reshape(-1));
    position_1_.add_(1);
}

/// Replaces the choice of rows that are still within their prefix by the prefix token.
DeviceChoice DeviceSearch::withPrefixes(const DeviceChoice& next) const {
    const at::Tensor place_1 = position_1_ + 1, isGiven_J1 = prefixLength_J1_ > place_1;
    return {at::where(isGiven_J1, prefix_JL_.index_select(1, place_1), next.token_JM),
            at::where(isGiven_J1, path_P_, next.parent_JM), at::where(isGiven_J1, logProbability_JP_, next.logProbability_JM)};
}

/// Copies the choices since the last call to the host and extends the texts.
void DeviceSearch::collectChoices() {
    const at::Tensor history = history_CJM3_.narrow(0, collected_, length_ - collected_).to(at::kCPU);
    for (std::int64_t i = 0; i < history.size(0) && !done(); ++i) {
        const std::vector<std::size_t> extended = texts_->pathsToExtend(collected_ + i + 1);
        texts_->extend(extended, extensionsOf(history[i].const_data_ptr<double>(), extended));
    }
    collected_ = length_;
}

/// The extensions of these paths. The paths of a job have the same order on the device and in texts_.
std::vector<Extension> DeviceSearch::extensionsOf(const double* history_JM3, const std::vector<std::size_t>& extended) const {
    const std::int64_t count = history_CJM3_.size(2), values = history_CJM3_.size(3);
    const std::vector<Path>& paths = texts_->paths();
    std::vector<Extension> extensions;
    for (std::size_t begin = 0, end = 0; begin < extended.size(); begin = end) {
        const std::size_t job = paths[extended[begin]].job;
        while (end < extended.size() && paths[extended[end]].job == job) ++end;
        std::vector<Extension> ofJob;
        for (std::int64_t m = 0; m < count; ++m) {
            const double* const one = history_JM3 + (static_cast<std::int64_t>(job) * count + m) * values;
            const std::size_t path = begin + static_cast<std::size_t>(one[1]);
            if (path < end && one[2] != kNoPath) ofJob.push_back({path, static_cast<std::int32_t>(one[0]), one[2]});
        }
        if (isBeam_) keepBeam(ofJob, static_cast<std::size_t>(paths_));
        extensions.insert(extensions.end(), ofJob.begin(), ofJob.end());
    }
    return extensions;
}

/// Repeats a job's row for each of its paths.
at::Tensor DeviceSearch::ofPaths(const at::Tensor& ofJobs) const {
    return paths_ > 1 ? ofJobs.repeat_interleave(paths_, 0) : ofJobs;
}

}  // namespace heddle
