// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/biased_product.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class Init;
struct RandomKey;

/// Initial value of a parameter. The variant's `init` slot decides by default; a block may prescribe a value (a bias of +2).
struct Initial {
    enum class Kind {
        Default,    ///< by the init block: matrices by their sizes, vectors by fanIn
        Zeros,      ///< 0
        Ones,       ///< 1
        Constant,   ///< `value`
        Uniform,    ///< U(−value, value)
        Identity,   ///< `value` on the diagonal of the last two axes, else 0
        Unit,       ///< 1 at position `value` of the last axis, else 0
        Embedding,  ///< an embedding table, by the init block; `value` is the standard deviation if it draws from a normal
                    ///< distribution
        Features,   ///< normal directions [rows,width], each block of `width` rows orthogonal
    } kind = Kind::Default;
    double value = 0;
    std::int64_t fanIn = 0;   ///< Default for vectors: number of inputs of the layer
    double gain = 1;          ///< Default for matrices: a factor
    bool endsBranch = false;  ///< Default: of a map that ends a sublayer's branch, which init may start at 0
};

/// The sizes and starts of a base model's parameters, by path, from which the start and rates of a wider model follow by the
/// maximal update parametrisation, μP (Yang et al. 2022, arXiv 2203.03466, table 8): an axis that is longer than the base
/// model's is a width.
struct BaseModel {
    struct Parameter {
        std::vector<std::int64_t> sizes;
        Initial initial;
        /// Returns the axes that are widths of the parameter with these sizes in the wider model.
        std::vector<std::size_t> widthsOf(at::IntArrayRef wider) const;
    };
    std::map<std::string, Parameter> parameters;
};

/// All parameters of a model by path, in declaration order. Initialised on the CPU from (seed, path), so that parameters shared
/// by variants start equal; moved to the device once.
class ParameterStore {
public:
    struct Entry {
        std::string path;
        at::Tensor tensor;
    };

    ParameterStore(std::uint64_t seed, std::shared_ptr<const Init> init, at::ScalarType type = at::kFloat);
    /// Without an init block the tensors are on the meta device: sizes without values or memory, for counting.
    explicit ParameterStore(at::ScalarType type) : ParameterStore(0, nullptr, type) {}

    /// Transfers the start of a base model, with the same paths, to the parameters that are declared from now on.
    void transferFrom(std::shared_ptr<const BaseModel> base) { base_ = std::move(base); }
    /// The store's own parameters as a base model.
    BaseModel asBase() const;
    /// Of a matrix both of whose axes are widths, by how much its input is wider than the base model's, which divides its
    /// rate with Adam; else 1.
    double inputRatio(const std::string& path) const;

    /// Declares "encoder.layers.0.self.scorer.q.weight"; a path can be declared once. Returns a leaf that requires grad.
    at::Tensor declare(const std::string& path, at::IntArrayRef sizes, const Initial& initial);

    /// A constant that moves with the parameters but is not counted, trained or saved (a table of sinusoids).
    at::Tensor declareBuffer(const at::Tensor& value);

    /// A buffer initialised like a parameter of that path and never trained; the seed reproduces it.
    at::Tensor declareFrozen(const std::string& path, at::IntArrayRef sizes, const Initial& initial);
    /// Tables declared frozen, to be filled from a file.
    const std::vector<Entry>& frozen() const { return frozen_; }

    const std::vector<Entry>& entries() const { return entries_; }
    at::Tensor find(const std::string& path) const;  ///< undefined if absent
    std::int64_t count() const;                      ///< elements
    at::ScalarType type() const { return type_; }
    bool isOutline() const { return !init_; }  ///< its tensors have no values

    /// Marks a parameter as a factor of matrix products (engine/kernels/reduced.h).
    void noteFactor(const at::Tensor& parameter) { factors_.push_back(parameter); }
    const std::vector<at::Tensor>& factors() const { return factors_; }

    /// Requests that the next to() stores these parameters contiguously, as one tensor concatenated along the first axis.
    /// Ignored if one of them is already stored with others, or would not be aligned.
    void keepTogether(const std::vector<at::Tensor>& parameters) { together_.push_back(parameters); }

    /// Moves every parameter and buffer in place: tensors returned earlier stay valid, parameters stay leaves.
    void to(const at::Device& device);

private:
    at::Tensor initialValue(const std::string& path, at::IntArrayRef sizes, const Initial& initial) const;
    at::Tensor drawn(const RandomKey& key, at::IntArrayRef sizes, const Initial& initial) const;
    /// The initial value with the deviation that a parameter of this path has in the transfer from the base model.
    at::Tensor transferred(const std::string& path, const RandomKey& key, at::IntArrayRef sizes) const;

    std::uint64_t seed_;
    std::shared_ptr<const Init> init_;
    std::shared_ptr<const BaseModel> base_;  ///< null: none
    at::ScalarType type_;
    std::vector<Entry> entries_, frozen_;
    std::vector<Initial> initials_;  ///< of entries_
    std::vector<at::Tensor> buffers_, factors_;
    std::vector<std::vector<at::Tensor>> together_;
};

/// Declares parameters of a store below a module's path.
class ParameterScope {
public:
    ParameterScope(ParameterStore& store, std::string path) : store_(&store), path_(std::move(path)) {}
    ParameterScope operator/(const std::string& child) const;
    /// The same path; the initial values of matrices that init draws are multiplied by `gain`.
    ParameterScope withGain(double gain) const;
    at::Tensor declare(const std::string& name, at::IntArrayRef sizes, const Initial& initial = {}) const;
    at::Tensor declareBuffer(const at::Tensor& value) const { return store_->declareBuffer(value); }
    at::Tensor declareFrozen(const std::string& name, at::IntArrayRef sizes, const Initial& initial) const;
    /// Marks the parameter as a factor of matrix products and returns it.
    at::Tensor factor(const at::Tensor& parameter) const;
    /// A parameter declared by another module, by its full path; undefined if absent.
    at::Tensor find(const std::string& path) const { return store_->find(path); }
    const std::string& path() const { return path_; }
    bool isOutline() const { return store_->isOutline(); }

private:
    ParameterStore* store_;
    std::string path_;
    double gain_ = 1;
};

/// y = x Wᵀ + b with W [out,in]; declares "<path>.weight" and optionally "<path>.bias".
struct Linear {
    at::Tensor weight, bias;
    /// On the CPU LinearInput computes it by itself: rounding there stays what it was before maps like it were joined.
    bool isApartOnCpu = false;
    at::Tensor operator()(const at::Tensor& x) const;
    /// The same for a reader that may compute the gradient of the bias.
    BiasedProduct product(const at::Tensor& x) const;
};
/// The products of both maps with one x, for such readers.
std::vector<BiasedProduct> products(const at::Tensor& x, const Linear& a, const Linear& b);
Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, const Initial& bias = {});

/// A block's option `bias`.
enum class WithBias : bool { No, Yes };
/// The same map; without a bias where the option is false.
Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, WithBias bias);
/// The same for the map that ends a sublayer's branch: its output, but for dropout and norm, is what the residual connection
/// adds.
Linear declareBranchEnd(const ParameterScope& scope, std::int64_t in, std::int64_t out, WithBias bias);

/// Layer normalisation (Ba et al. 2016): y = γ ⊙ (x − mean) / √(var + ε) + β over the last axis; γ and β start at 1 and 0.
struct LayerNormMap {
    at::Tensor weight_D, bias_D;  ///< γ, β; undefined: no β
    double eps = 0;
    at::Tensor operator()(const at::Tensor& x) const;
};
LayerNormMap declareLayerNorm(const ParameterScope& scope, std::int64_t width, double eps, WithBias bias = WithBias::Yes);

}  // namespace heddle
