// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (J jobs of P paths each), C capacity (positions), L one more, M extensions of a job, V vocabulary.

#include "engine/decode/host_search.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace heddle {

/// The extensions of every job, best first.
struct DeviceChoice {
    at::Tensor token_JM, parent_JM;  ///< int64; parent: index of the extended path within its job
    at::Tensor logProbability_JM;    ///< float64, of the whole text; −∞: no extension
};

/// A Sampler that runs on the logits' device and can be captured in a graph.
class DeviceSampler {
public:
    virtual ~DeviceSampler() = default;
    /// `before`: log P of the paths; −∞: no path. Raw logits, float32; may be overwritten. Returns a superset of what the
    /// Sampler would; keepBeam() reduces it.
    virtual DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_JP) const = 0;
    /// The P extensions of each job that the search continues with. Texts decides which of them are still needed.
    virtual DeviceChoice continued(const DeviceChoice& all) const = 0;
};

std::unique_ptr<DeviceSampler> makeDeviceGreedySampler();
std::unique_ptr<DeviceSampler> makeDeviceBeamSampler(std::int64_t beam);

/// Greedy and beam search on the device. A step reads device memory only, so that it can be captured and replayed; the host
/// copies the chosen tokens every eight steps. Rows of finished texts stay in the batch and are ignored: removing them would
/// not make a step faster. Batches of one shape share memory and graph.
class DeviceSearch final : public TextSearch {
public:
    /// Whether this class supports the model and search. Sampling draws on the host.
    static bool fits(const Model& model, const DecodeOptions& options);

    /// The sizes of a batch.
    struct Shape {
        std::int64_t jobs = 0, sourceWidth = 0;
        std::int64_t capacity = 0;     ///< positions allocated
        bool unequalPrefixes = false;  ///< the prefixes differ in length
        bool operator==(const Shape&) const = default;
    };
    /// `longest`: the model's maximum sequence length.
    static Shape shapeOf(const std::vector<Job>& jobs, const Memory& memory, std::int64_t longest);

    /// The model must outlive it and pass fits().
    DeviceSearch(const Model& model, const DecodeOptions& options, const Shape& shape);
    /// Starts a batch of this shape. `memory`: one row per job, or none.
    void begin(std::vector<Job> jobs, const Memory& memory);

    bool done() const override { return texts_->done(); }
    void advance() override;
    std::vector<NBest>& results() override { return texts_->results(); }
    bool captureFailed() const { return captureFailed_; }  ///< a capture failed; options.onCaptureFailure received the reason

private:
    void readFirst();
    void readNext();
    void capture();
    void work();
    at::Tensor logits(const std::function<at::Tensor()>& read) const;
    void choose(const at::Tensor& logits_RV);
    DeviceChoice withPrefixes(const DeviceChoice& next) const;
    void collectChoices();
    std::vector<Extension> extensionsOf(const double* history_JM3, const std::vector<std::size_t>& extended) const;
    at::Tensor ofPaths(const at::Tensor& ofJobs) const;

    const Model& model_;
    DecodeOptions options_;
    Shape shape_;
    bool isBeam_;
    std::int64_t paths_;  ///< P
    std::unique_ptr<DeviceSampler> sampler_;
    std::unique_ptr<ReplayableState> state_;
    Forward forward_;
    std::unique_ptr<DeviceGraph> graph_;
    bool isWarm_ = false, captureFailed_ = false;

    // Inputs and outputs of a captured step.
    at::Tensor position_1_;                   ///< int64: the next position
    at::Tensor ids_R1_;                       ///< int64: the tokens at that position
    at::Tensor logProbability_JP_;            ///< float64, of the paths; −∞: no path
    at::Tensor prefix_JL_, prefixLength_J1_;  ///< int64, padded with <eos>
    at::Tensor path_P_, firstRow_J1_;         ///< int64: 0, 1, …; the first row of every job
    at::Tensor history_CJM3_;                 ///< float64: token, parent and log P of the extensions at every position

    std::optional<Texts> texts_;
    Memory memory_;
    std::int64_t shared_ = 0;     ///< length of the shortest prefix
    std::int64_t last_ = 0;       ///< positions read by the longest text
    std::int64_t length_ = 0;     ///< positions read
    std::int64_t collected_ = 0;  ///< positions passed on to texts_
};

}  // namespace heddle
