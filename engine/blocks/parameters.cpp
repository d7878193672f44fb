// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/parameters.h"

#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/reduced.h"

#include <algorithm>

namespace heddle {
namespace {

/// Rows with the lengths of normal vectors; each block of `width` rows is orthogonal (Choromanski et al. 2021, section 2.4).
at::Tensor orthogonalFeatures(const RandomKey& key, at::IntArrayRef sizes) {
    const std::int64_t rows = sizes[0], width = sizes[1], blocks = (rows + width - 1) / width;
    const at::Tensor drawn = normal(key, {blocks * width + rows, width}, 0, 1);
    const auto [q, r] = at::linalg_qr(drawn.narrow(0, 0, blocks * width).view({blocks, width, width}));
    const at::Tensor directions = q.mT() * r.diagonal(0, -2, -1).sign().unsqueeze(-1);  // uniformly distributed
    const at::Tensor lengths = drawn.narrow(0, blocks * width, rows).norm(2, {1}, true);
    return directions.reshape({blocks * width, width}).narrow(0, 0, rows) * lengths;
}

/// Whether all parts would be aligned when stored contiguously. Matrix products are fastest on aligned memory, and their
/// results do not depend on the storage then.
bool areAligned(const std::vector<at::Tensor>& parts) {
    constexpr std::size_t kAlignment = 64;
    return std::all_of(parts.begin(), parts.end(), [](const at::Tensor& part) {
        return part.is_contiguous() && part.nbytes() % kAlignment == 0 && part.nbytes() > 0;
    });
}

/// Moves the parameters into one contiguous allocation, in order.
void storeContiguously(const std::vector<at::Tensor>& parts) {
    const at::Tensor memory = at::cat(parts);
    std::int64_t first = 0;
    for (const at::Tensor& part : parts) {
        at::Tensor(part).set_data(memory.narrow(0, first, part.size(0)));
        first += part.size(0);
    }
}

/// ParameterStore::inputRatio() of a parameter of these sizes.
double inputRatioTo(const BaseModel::Parameter& base, at::IntArrayRef sizes) {
    const std::vector<std::size_t> widths = base.widthsOf(sizes);
    if (widths.size() < 2) return 1;
    const std::size_t input = widths.back();
    return static_cast<double>(sizes[input]) / static_cast<double>(base.sizes[input]);
}

}  // namespace

std::vector<std::size_t> BaseModel::Parameter::widthsOf(at::IntArrayRef wider) const {
    std::vector<std::size_t> widths;
    for (std::size_t axis = 0; axis < wider.size(); ++axis)
        if (wider[axis] != sizes[axis]) widths.push_back(axis);
    return widths;
}

ParameterStore::ParameterStore(std::uint64_t seed, std::shared_ptr<const Init> init, at::ScalarType type)
    : seed_(seed), init_(std::move(init)), type_(type) {}

at::Tensor ParameterStore::declare(const std::string& path, at::IntArrayRef sizes, const Initial& initial) {
    TORCH_INTERNAL_ASSERT(!find(path).defined(), "parameter declared twice: ", path);
    at::Tensor tensor = initialValue(path, sizes, initial).to(type_);
    tensor.set_requires_grad(true);
    entries_.push_back({path, tensor});
    initials_.push_back(initial);
    return tensor;
}

at::Tensor ParameterStore::initialValue(const std::string& path, at::IntArrayRef sizes, const Initial& initial) const {
    if (!init_) return at::empty(sizes, at::TensorOptions(at::kDouble).device(at::kMeta));
    const RandomKey key = randomKey(seed_, "init:" + path);
    return base_ && base_->parameters.contains(path) ? transferred(path, key, sizes) : drawn(key, sizes, initial);
}

at::Tensor ParameterStore::transferred(const std::string& path, const RandomKey& key, at::IntArrayRef sizes) const {
    const BaseModel::Parameter& base = base_->parameters.at(path);
    const auto& [baseSizes, initial] = base;
    const at::Tensor value = drawn(key, sizes, initial);
    const bool isMatrix = initial.kind == Initial::Kind::Default && sizes.size() > 1;
    const bool isTable = initial.kind == Initial::Kind::Embedding;
    double factor =
        isMatrix || isTable || initial.kind == Initial::Kind::Uniform ? 1 / std::sqrt(inputRatioTo(base, sizes)) : 1;
    if (isMatrix) factor *= init_->matrixDeviation(baseSizes) / init_->matrixDeviation(sizes);
    if (isTable) factor *= init_->tableDeviation(baseSizes, initial.value) / init_->tableDeviation(sizes, initial.value);
    return factor == 1 ? value : value * factor;
}

BaseModel ParameterStore::asBase() const {
    BaseModel base;
    for (std::size_t i = 0; i < entries_.size(); ++i)
        base.parameters[entries_[i].path] = {entries_[i].tensor.sizes().vec(), initials_[i]};
    return base;
}

double ParameterStore::inputRatio(const std::string& path) const {
    if (!base_ || !base_->parameters.contains(path)) return 1;
    return inputRatioTo(base_->parameters.at(path), find(path).sizes());
}

at::Tensor ParameterStore::drawn(const RandomKey& key, at::IntArrayRef sizes, const Initial& initial) const {
    if (initial.endsBranch && init_->zeroesBranchEnds()) return at::zeros(sizes, at::kDouble);
    switch (initial.kind) {
    case Initial::Kind::Zeros: return at::zeros(sizes, at::kDouble);
    case Initial::Kind::Ones: return at::ones(sizes, at::kDouble);
    case Initial::Kind::Constant: return at::full(sizes, initial.value, at::kDouble);
    case Initial::Kind::Uniform: return uniform(key, sizes, -initial.value, initial.value);
    case Initial::Kind::Identity: return (at::eye(sizes.back(), at::kDouble) * initial.value).expand(sizes).clone();
    case Initial::Kind::Unit: {
        at::Tensor unit = at::zeros(sizes, at::kDouble);
        unit.select(-1, static_cast<std::int64_t>(initial.value)).fill_(1);
        return unit;
    }
    case Initial::Kind::Embedding: return init_->table(key, sizes, initial.value);
    case Initial::Kind::Features: return orthogonalFeatures(key, sizes);
    case Initial::Kind::Default: break;
    }
    if (sizes.size() <= 1) return init_->vector(key, sizes, initial.fanIn);
    const at::Tensor matrix = init_->matrix(key, sizes);
    return initial.gain == 1 ? matrix : matrix * initial.gain;
}

at::Tensor ParameterStore::declareBuffer(const at::Tensor& value) {
    // A buffer has the type of the parameters; the model handles autocast and precision.
    buffers_.push_back(isOutline() ? value.to(at::kMeta, type_) : value.to(type_));
    return buffers_.back();
}

at::Tensor ParameterStore::declareFrozen(const std::string& path, at::IntArrayRef sizes, const Initial& initial) {
    frozen_.push_back({path, declareBuffer(initialValue(path, sizes, initial))});
    return frozen_.back().tensor;
}

at::Tensor ParameterStore::find(const std::string& path) const {
    for (const Entry& entry : entries_) {
        if (entry.path == path) return entry.tensor;
    }
    return {};
}

std::int64_t ParameterStore::count() const {
    std::int64_t elements = 0;
    for (const Entry& entry : entries_) elements += entry.tensor.numel();
    return elements;
}

void ParameterStore::to(const at::Device& device) {
    const at::NoGradGuard noGrad;
    for (Entry& entry : entries_) entry.tensor.set_data(entry.tensor.to(device));
    for (at::Tensor& buffer : buffers_) buffer.set_data(buffer.to(device));
    std::vector<at::Tensor> placed;
    const auto isPlaced = [&](const at::Tensor& part) {
        return std::any_of(placed.begin(), placed.end(), [&](const at::Tensor& other) { return other.is_same(part); });
    };
    for (const auto& parts : together_) {
        if (!areAligned(parts) || std::any_of(parts.begin(), parts.end(), isPlaced)) continue;
        if (!joined(parts).defined()) storeContiguously(parts);
        placed.insert(placed.end(), parts.begin(), parts.end());
    }
}

ParameterScope ParameterScope::operator/(const std::string& child) const {
    return ParameterScope(*store_, path_.empty() ? child : path_ + "." + child).withGain(gain_);
}

ParameterScope ParameterScope::withGain(double gain) const {
    ParameterScope made = *this;
    made.gain_ = gain;
    return made;
}

at::Tensor ParameterScope::declare(const std::string& name, at::IntArrayRef sizes, const Initial& initial) const {
    Initial own = initial;
    own.gain *= gain_;
    return store_->declare((*this / name).path(), sizes, own);
}

at::Tensor ParameterScope::declareFrozen(const std::string& name, at::IntArrayRef sizes, const Initial& initial) const {
    return store_->declareFrozen((*this / name).path(), sizes, initial);
}

at::Tensor ParameterScope::factor(const at::Tensor& parameter) const {
    store_->noteFactor(parameter);
    return parameter;
}

at::Tensor Linear::operator()(const at::Tensor& x) const { return affine(x, weight, bias); }

BiasedProduct Linear::product(const at::Tensor& x) const { return biasedProduct(x, weight, bias); }

std::vector<BiasedProduct> products(const at::Tensor& x, const Linear& a, const Linear& b) {
    return biasedProducts(x, {a.weight, b.weight}, {a.bias, b.bias});
}

Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, const Initial& bias) {
    Initial start = bias;
    if (start.kind == Initial::Kind::Default && start.fanIn == 0) start.fanIn = in;
    Linear linear = declareLinear(scope, in, out, WithBias::No);
    linear.bias = scope.factor(scope.declare("bias", {out}, start));
    return linear;
}

Linear declareLinear(const ParameterScope& scope, std::int64_t in, std::int64_t out, WithBias bias) {
    if (bias == WithBias::Yes) return declareLinear(scope, in, out);
    return {scope.factor(scope.declare("weight", {out, in})), {}};
}

Linear declareBranchEnd(const ParameterScope& scope, std::int64_t in, std::int64_t out, WithBias bias) {
    Initial matrix, vector;
    matrix.endsBranch = vector.endsBranch = true;
    vector.fanIn = in;
    Linear linear{scope.factor(scope.declare("weight", {out, in}, matrix)), {}};
    if (bias == WithBias::Yes) linear.bias = scope.factor(scope.declare("bias", {out}, vector));
    return linear;
}

at::Tensor LayerNormMap::operator()(const at::Tensor& x) const {
    return at::layer_norm(x, {x.size(-1)}, weight_D, bias_D, eps);
}

LayerNormMap declareLayerNorm(const ParameterScope& scope, std::int64_t width, double eps, WithBias bias) {
    const at::Tensor weight_D = scope.declare("weight", {width}, {Initial::Kind::Ones});
    if (bias == WithBias::No) return {weight_D, {}, eps};
    return {weight_D, scope.declare("bias", {width}, {Initial::Kind::Zeros}), eps};
}

}  // namespace heddle

#endif
