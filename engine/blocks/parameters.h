// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// How a parameter starts; the variant's `init` slot decides for matrices, the block may insist (a bias at +2).
struct Initial {
    enum class Kind { Default, Zeros, Ones, Constant, Embedding } kind = Kind::Default;
    double value = 0;        ///< Constant
    std::int64_t fanIn = 0;  ///< Default for biases: U(±1/√fanIn)
};

/// All parameters of a model by path, in declaration order. Initialised on the CPU from (seed, path) alone, so that variants
/// that share parameters start equal; moved to the device once.
class ParameterStore {
public:
    ParameterStore(std::uint64_t seed, std::string initKind, at::ScalarType type = at::kFloat);

    /// Declares "encoder.layers.0.self.scorer.q.weight"; a path can be declared once. Returns a leaf that requires grad.
    at::Tensor declare(const std::string& path, at::IntArrayRef sizes, const Initial& initial);

    struct Entry {
        std::string path;
        at::Tensor tensor;
    };
    const std::vector<Entry>& entries() const { return entries_; }
    at::Tensor find(const std::string& path) const;  ///< undefined if absent
    std::int64_t count() const;                      ///< elements

private:
    std::uint64_t seed_;
    std::string initKind_;
    at::ScalarType type_;
    std::vector<Entry> entries_;
};

/// A store seen from one module: declares below its own path.
class ParameterScope {
public:
    ParameterScope(ParameterStore& store, std::string path) : store_(&store), path_(std::move(path)) {}
    ParameterScope operator/(const std::string& child) const { return {*store_, path_.empty() ? child : path_ + "." + child}; }
    at::Tensor declare(const std::string& name, at::IntArrayRef sizes, const Initial& initial = {}) const;
    const std::string& path() const { return path_; }

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

}  // namespace heddle
