// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class Init;

/// How a parameter starts; the variant's `init` slot decides for matrices, the block may insist (a bias at +2).
struct Initial {
    enum class Kind {
        Default,    ///< as the init block says: matrices by their sizes, vectors by fanIn
        Zeros,      ///< 0
        Ones,       ///< 1
        Constant,   ///< `value`
        Uniform,    ///< U(−value, value)
        Identity,   ///< `value` on the diagonal of the last two axes, else 0
        Embedding,  ///< a table of vectors, as the init block says; `value` is the deviation where that is normal
        Features,   ///< normal directions [rows,width], each block of `width` rows orthogonal
    } kind = Kind::Default;
    double value = 0;
    std::int64_t fanIn = 0;  ///< Default for vectors: what the layer reads
};

/// All parameters of a model by path, in declaration order. Initialised on the CPU from (seed, path) alone, so that variants
/// that share parameters start equal; moved to the device once.
class ParameterStore {
public:
    struct Entry {
        std::string path;
        at::Tensor tensor;
    };

    ParameterStore(std::uint64_t seed, std::shared_ptr<const Init> init, at::ScalarType type = at::kFloat);
    /// Without an init its tensors have sizes but no values and take no memory: for counting what a model declares.
    explicit ParameterStore(at::ScalarType type) : ParameterStore(0, nullptr, type) {}

    /// Declares "encoder.layers.0.self.scorer.q.weight"; a path can be declared once. Returns a leaf that requires grad.
    at::Tensor declare(const std::string& path, at::IntArrayRef sizes, const Initial& initial);

    /// A constant that moves with the parameters but is not counted, trained or saved (a table of sinusoids).
    at::Tensor declareBuffer(const at::Tensor& value);

    /// A table that starts like the parameter of that path and then never changes: a buffer that the seed gives back.
    at::Tensor declareFrozen(const std::string& path, at::IntArrayRef sizes, const Initial& initial);
    /// Tables that were declared frozen, to be filled from a file.
    const std::vector<Entry>& frozen() const { return frozen_; }

    const std::vector<Entry>& entries() const { return entries_; }
    at::Tensor find(const std::string& path) const;  ///< undefined if absent
    std::int64_t count() const;                      ///< elements
    at::ScalarType type() const { return type_; }
    bool isOutline() const { return !init_; }  ///< its tensors have no values

    /// Says of a parameter that matrix products read it (engine/kernels/reduced.h).
    void noteFactor(const at::Tensor& parameter) { factors_.push_back(parameter); }
    const std::vector<at::Tensor>& factors() const { return factors_; }

    /// Asks that these parameters lie behind each other from the next to() on, as one whose first axis is as long as theirs
    /// together. They do unless one of them lies with others already, or would begin where memory never begins.
    void keepTogether(const std::vector<at::Tensor>& parameters) { together_.push_back(parameters); }

    /// Moves every parameter and buffer in place: tensors handed out before stay valid, parameters stay leaves.
    void to(const at::Device& device);

private:
    at::Tensor initialValue(const std::string& path, at::IntArrayRef sizes, const Initial& initial) const;

    std::uint64_t seed_;
    std::shared_ptr<const Init> init_;
    at::ScalarType type_;
    std::vector<Entry> entries_, frozen_;
    std::vector<at::Tensor> buffers_, factors_;
    std::vector<std::vector<at::Tensor>> together_;
};

/// A store seen from one module: declares below its own path.
class ParameterScope {
public:
    ParameterScope(ParameterStore& store, std::string path) : store_(&store), path_(std::move(path)) {}
    ParameterScope operator/(const std::string& child) const { return {*store_, path_.empty() ? child : path_ + "." + child}; }
    at::Tensor declare(const std::string& name, at::IntArrayRef sizes, const Initial& initial = {}) const;
    at::Tensor declareBuffer(const at::Tensor& value) const { return store_->declareBuffer(value); }
    at::Tensor declareFrozen(const std::string& name, at::IntArrayRef sizes, const Initial& initial) const;
    /// The same parameter, which matrix products read.
    at::Tensor factor(const at::Tensor& parameter) const;
    /// A parameter that another module has declared, by its whole path; undefined if absent.
    at::Tensor find(const std::string& path) const { return store_->find(path); }
    const std::string& path() const { return path_; }
    bool isOutline() const { return store_->isOutline(); }

private:
    ParameterStore* store_;
    std::string path_;
};

/// y = x Wᵀ + b with W [out,in]; declares "<path>.weight" and, if asked, "<path>.bias".
struct Linear {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& x) const;
};
Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, const Initial& bias = {});
Linear declareLinearWithoutBias(const ParameterScope& scope, std::int64_t in, std::int64_t out);

/// One of the two above, as a block's parameter `bias` says.
enum class WithBias { No, Yes };
Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, WithBias bias);

}  // namespace heddle
