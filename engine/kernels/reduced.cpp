// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/reduced.h"

#include "engine/device/torch_pch.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace heddle {
namespace {

const c10::TensorImpl* identityOf(const at::Tensor& x) { return x.unsafeGetTensorImpl(); }

/// Whether no other parameter lies in the memory of this one.
bool liesAlone(const at::Tensor& x) { return x.is_contiguous() && x.nbytes() == x.storage().nbytes(); }

/// Elements of the rows that fill x up to paddedOutputs().
std::int64_t paddingElementsOf(const at::Tensor& x) {
    if (x.dim() == 0 || x.numel() == 0) return 0;
    const std::int64_t rows = x.size(0);
    return (paddedOutputs(rows) - rows) * (x.numel() / rows);
}

/// A copy that exists already, for one more product: its gradient goes to x, in x's type. Autograd would add the gradients of
/// one tensor's uses in that tensor's type, and each sum in bfloat16 loses what its 8 bits do not hold.
class FurtherUse : public torch::autograd::Function<FurtherUse> {
public:
    struct Copy {
        at::Tensor x16;  ///< in a struct, so that autograd does not take it for an operand
    };
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const Copy& copy) {
        context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
        return copy.x16.detach();
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        return {gradients[0].to(static_cast<at::ScalarType>(context->saved_data["type"].toInt())), at::Tensor()};
    }
};

}  // namespace

ReducedParameters::ReducedParameters(std::vector<at::Tensor> parameters) {
    for (at::Tensor& parameter : parameters)
        if (parameter.scalar_type() == at::kFloat) copies_.push_back({std::move(parameter), {}});
    const auto identity = [](const Copy& copy) { return identityOf(copy.parameter); };
    std::sort(copies_.begin(), copies_.end(), [&](const Copy& a, const Copy& b) { return identity(a) < identity(b); });
    const auto isOne = [&](const Copy& a, const Copy& b) { return identity(a) == identity(b); };
    copies_.erase(std::unique(copies_.begin(), copies_.end(), isOne), copies_.end());  // tied parameters occur twice
    refresh();
}

at::Tensor ReducedParameters::of(const at::Tensor& parameter) const {
    const auto found =
        std::lower_bound(copies_.begin(), copies_.end(), identityOf(parameter),
                         [](const Copy& copy, const c10::TensorImpl* wanted) { return identityOf(copy.parameter) < wanted; });
    if (found == copies_.end() || !found->parameter.is_same(parameter) || !isCurrent(*found)) return {};
    return found->reduced;
}

bool ReducedParameters::isCurrent(const Copy& copy) const {
    return copy.reduced.defined() && copy.address == copy.parameter.const_data_ptr() &&
           copy.version == copy.parameter._version();
}

void ReducedParameters::refresh() {
    if (std::all_of(copies_.begin(), copies_.end(), [this](const Copy& copy) { return isCurrent(copy); })) return;
    const auto moved = [](const Copy& copy) {
        return !copy.reduced.defined() || copy.address != copy.parameter.const_data_ptr();
    };
    if (std::any_of(copies_.begin(), copies_.end(), moved)) makeRoom();
    rewrite();
}

void ReducedParameters::makeRoom() {
    std::map<const c10::StorageImpl*, at::Tensor> rooms;
    for (Copy& copy : copies_) {
        const c10::Storage& storage = copy.parameter.storage();
        at::Tensor& room = rooms[storage.unsafeGetStorageImpl()];
        if (!room.defined()) {
            const auto count = static_cast<std::int64_t>(storage.nbytes() / sizeof(float));
            const std::int64_t behind = liesAlone(copy.parameter) ? paddingElementsOf(copy.parameter) : 0;
            room = at::empty({count + behind}, copy.parameter.options().dtype(at::kBFloat16).requires_grad(false));
            if (behind > 0) room.narrow(0, count, behind).zero_();
        }
        copy.reduced = room.as_strided(copy.parameter.sizes(), copy.parameter.strides(), copy.parameter.storage_offset());
        copy.address = copy.parameter.const_data_ptr();
    }
}

void ReducedParameters::rewrite() {
    const at::NoGradGuard noGrad;
    for (Copy& copy : copies_) {
        copy.reduced.copy_(copy.parameter);
        copy.version = copy.parameter._version();
    }
}

struct ReducedScope::State {
    using Held = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
    struct Known {
        Held x;                          // keeps the tensor alive, so that its identity stays unique
        std::vector<at::Tensor> copies;  ///< of one memory
        std::int64_t version = 0;
        std::size_t used = 0;  ///< that many copies are operands of products whose gradients are wanted
    };
    const ReducedParameters* parameters;
    std::unordered_map<const c10::TensorImpl*, Known> known;

    void keep(const at::Tensor& x, std::vector<at::Tensor> copies, std::size_t used) {
        known.insert_or_assign(identityOf(x), Known{Held(x.getIntrusivePtr()), std::move(copies), x._version(), used});
    }
};

namespace {
thread_local ReducedScope::State* openScope = nullptr;
}

ReducedScope::ReducedScope(const ReducedParameters* parameters) : before_(openScope) {
    if (!parameters) return;
    own_ = std::make_unique<State>(State{parameters, {}});
    openScope = own_.get();
}

ReducedScope::~ReducedScope() { openScope = before_; }

bool reducedScopeIsOpen() { return openScope != nullptr; }

at::Tensor reduced(const at::Tensor& x) {
    TORCH_CHECK(openScope, "no scope of reduced copies is open");
    if (x.scalar_type() == at::kBFloat16) return x;
    const bool hasGradient = at::GradMode::is_enabled() && x.requires_grad();
    if (const auto found = openScope->known.find(identityOf(x));
        found != openScope->known.end() && found->second.version == x._version()) {
        ReducedScope::State::Known& known = found->second;
        if (!hasGradient) return known.copies.front();
        if (known.used < known.copies.size()) return known.copies[known.used++];
        return FurtherUse::apply(x, FurtherUse::Copy{known.copies.front()});
    }
    at::Tensor made = x.to(at::kBFloat16);
    // Does not cache copies made without gradients if x requires a gradient.
    if (hasGradient || !x.requires_grad()) openScope->keep(x, {made}, 1);
    return made;
}

at::Tensor asFactor(const at::Tensor& x) { return openScope && x.scalar_type() == at::kFloat ? reduced(x) : x; }

at::Tensor reducedFactor(at::TensorList parts) {
    TORCH_CHECK(openScope, "no scope of reduced copies is open");
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> copies;
    for (const at::Tensor& part : parts) {
        const at::Tensor kept = openScope->parameters->of(part);
        copies.push_back(kept.defined() ? kept : part.detach().to(at::kBFloat16));
    }
    return concatenated(copies);
}

at::Tensor paddedFactor(const at::Tensor& parameter, std::int64_t rows) {
    TORCH_CHECK(openScope, "no scope of reduced copies is open");
    const at::Tensor kept = openScope->parameters->of(parameter);
    if (!kept.defined() || !liesAlone(parameter)) return {};
    std::vector<std::int64_t> sizes = parameter.sizes().vec();
    sizes.front() = rows;
    if (c10::multiply_integers(sizes) != parameter.numel() + paddingElementsOf(parameter)) return {};
    return kept.as_strided(sizes, c10::contiguous_strides(sizes));
}

void offerReduced(const at::Tensor& x, std::vector<at::Tensor> copies) {
    TORCH_CHECK(openScope, "no scope of reduced copies is open");
    openScope->keep(x, std::move(copies), 0);
}

bool hasOfferedCopy(const at::Tensor& x) {
    if (!openScope) return false;
    const auto found = openScope->known.find(identityOf(x));
    return found != openScope->known.end() && found->second.version == x._version() &&
           found->second.used < found->second.copies.size();
}

at::Tensor joined(at::TensorList parts) {
    const at::NoGradGuard noGrad;
    const at::Tensor& first = parts.front();
    std::int64_t rows = 0, behind = first.storage_offset();
    for (const at::Tensor& part : parts) {
        const bool fits = part.is_contiguous() && part.dim() == first.dim() && part.scalar_type() == first.scalar_type() &&
                          part.sizes().slice(1) == first.sizes().slice(1);
        if (!fits || !part.storage().is_alias_of(first.storage()) || part.storage_offset() != behind) return {};
        rows += part.size(0);
        behind += part.numel();
    }
    std::vector<std::int64_t> sizes = first.sizes().vec();
    sizes.front() = rows;
    return first.detach().as_strided(sizes, c10::contiguous_strides(sizes), first.storage_offset());
}

at::Tensor concatenated(at::TensorList parts) {
    if (parts.size() == 1) return parts.front();
    const at::Tensor joint = at::GradMode::is_enabled() ? at::Tensor() : joined(parts);
    return joint.defined() ? joint : at::cat(parts);
}

}  // namespace heddle
