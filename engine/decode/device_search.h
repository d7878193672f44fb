// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (J jobs of P paths each), C capacity (positions), L one more, M extensions of a job, V vocabulary.

#include "engine/decode/device_sampler.h"
#include "engine/decode/search_batch.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace heddle {

/// Searches on the device. The work of a position reads the device's memory alone, so that it can be captured and replayed; the
/// host reads the chosen tokens once in eight positions. Rows whose texts are done stay in the batch and are ignored: a batch
/// has so few rows that a position would take no less time without them. Batches of one shape share memory and graph.
class DeviceSearch final : public BatchSearch {
public:
    /// Whether steps of this model and search can be captured; sampling draws on the host.
    static bool fits(const Model& model, const SearchOptions& search);

    /// Sizes of a batch.
    struct Shape {
        std::int64_t jobs = 0, sourceWidth = 0;
        std::int64_t capacity = 0;  ///< positions that there is room for
        bool readsOn = false;       ///< some prefix is longer than another one
        bool operator==(const Shape&) const = default;
    };
    /// `longest`: positions that the model takes.
    static Shape shapeOf(const std::vector<Job>& jobs, const Memory& memory, std::int64_t longest);

    /// The model must outlive it and pass fits().
    DeviceSearch(const Model& model, const DecodeOptions& options, const Shape& shape);
    /// Begins the texts of another batch of this shape. `memory`: a row for each job, or none.
    void begin(std::vector<Job> jobs, const Memory& memory);

    bool done() const override { return texts_->done(); }
    void advance() override;
    std::vector<NBest>& results() override { return texts_->results(); }
    bool brokeOff() const { return brokeOff_; }  ///< steps could not be captured; options.uncaptured was told why

private:
    void readFirst();
    void readNext();
    void capture();
    void work();
    at::Tensor logits(const std::function<at::Tensor()>& read) const;
    void choose(const at::Tensor& logits_RV);
    DeviceChoice withPrefixes(const DeviceChoice& next) const;
    void look();
    std::vector<Extension> extensionsOf(const double* history_JM3, const std::vector<std::size_t>& choosing) const;
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
    bool isWarm_ = false, brokeOff_ = false;

    // What a recorded position reads and writes.
    at::Tensor position_1_;                   ///< int64: the one that is read next
    at::Tensor ids_R1_;                       ///< int64: what is read there
    at::Tensor logProbability_JP_;            ///< float64, of the paths; −∞: there is none
    at::Tensor prefix_JL_, prefixLength_J1_;  ///< int64, with <eos> after each
    at::Tensor path_P_, firstRow_J1_;         ///< int64: 0, 1, …; row of a job's first path
    at::Tensor history_CJM3_;                 ///< float64: token, parent and log P of every position's extensions

    std::optional<Texts> texts_;
    Memory memory_;
    std::int64_t shared_ = 0;  ///< tokens that all prefixes have
    std::int64_t last_ = 0;    ///< positions that the longest text reads
    std::int64_t length_ = 0;  ///< positions read
    std::int64_t looked_ = 0;  ///< positions whose choices the texts have
};

}  // namespace heddle
