// SPDX-License-Identifier: Apache-2.0
// The operators of the fake CUDA device. Torch decomposes composite operators as on a real device and calls the others with the
// dispatch key CUDA. This file has the kernels for that key: a few functions, most of them for operators that make memory or a
// view, and for all other operators one boxed function, which logs the call and asks the operator's meta kernel for the sizes
// of the results.
#include "tests/dev/engine/fake_cuda_operators.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/dev/engine/fake_cuda.h"
#include "tests/dev/engine/launch_cost.h"
#include "tests/dev/engine/launch_log.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <sys/mman.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/version.h>

#include <algorithm>
#include <optional>

static_assert(
    TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 11,
    "look at the operators of registerOperators() in the new version's native_functions.yaml, then change these numbers");

namespace heddle::fake_cuda {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::CUDA);

[[noreturn]] void throwWaiting(const std::string& name) {
    throw Error(ErrorCode::Failure, "the host waits for the device: " + name, "a step on the fake CUDA device",
                "a captured step must not synchronise: keep the value on the device");
}

void note(const std::string& name, LaunchCost cost, StepPhase phase = currentStepPhase()) {
    launchLog().add({name, phase, false, 1, std::move(cost)});
}

// Memory. Nothing reads or writes these addresses, and Linux gives no pages to memory that nobody touches.

struct Mapping {
    void* address;
    std::size_t bytes;
};

class UntouchedMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes == 0) return {nullptr, device()};
        void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (address == MAP_FAILED)
            throw Error(ErrorCode::OutOfMemory, "no addresses for " + std::to_string(bytes) + " bytes", "the fake CUDA device",
                        "count a smaller workload");
        return {address, new Mapping{address, bytes}, &release, device()};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void*, const void*, std::size_t) const override {}

private:
    static void release(void* mapping) {
        const std::unique_ptr<Mapping> released(static_cast<Mapping*>(mapping));
        munmap(released->address, released->bytes);
    }
};
UntouchedMemory memory;

// Tensors.

at::Tensor newTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
    return at::detail::empty_strided_generic(sizes, strides, &memory, kKeys, type);
}

at::ScalarType typeOr(std::optional<at::ScalarType> type) { return type.value_or(at::get_default_dtype_as_scalartype()); }

// NOLINTNEXTLINE(readability-function-size): the operator's signature
at::Tensor emptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                        std::optional<at::Layout> /*layout*/, std::optional<at::Device> /*device*/,
                        std::optional<bool> /*pinned*/) {
    return newTensor(sizes, strides, typeOr(type));
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
at::Tensor emptyOfFormat(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout> /*layout*/,
                         std::optional<at::Device> /*device*/, std::optional<bool> /*pinned*/,
                         std::optional<at::MemoryFormat> format) {
    return at::detail::empty_generic(sizes, &memory, kKeys, typeOr(type), format);
}

at::Tensor& setStorage(at::Tensor& x, at::Storage storage, std::int64_t offset, at::IntArrayRef sizes,
                       at::IntArrayRef strides) {
    c10::TensorImpl* const impl = x.unsafeGetTensorImpl();
    impl->set_storage_keep_dtype(std::move(storage));
    impl->set_storage_offset(offset);
    if (strides.empty() && !sizes.empty())
        impl->set_sizes_contiguous(sizes);
    else
        impl->set_sizes_and_strides(sizes, strides);
    return x;
}

at::Tensor& copyInto(at::Tensor& to, const at::Tensor& from, bool /*nonBlocking*/) {
    if (!to.is_cuda()) throwWaiting("a copy to the host");
    if (from.is_cuda())
        note("copy_", costOfOperator("copy_", {from}, {to}));
    else
        note("copy_", {}, StepPhase::Input);  // the bus to the host is not part of the cost
    return to;
}

/// mm with a result type other than the operands'; only CUDA has it.
at::Tensor productOfType(const at::Tensor& a, const at::Tensor& b, at::ScalarType type) {
    at::Tensor made = at::empty({a.size(0), b.size(1)}, a.options().dtype(type));
    note("mm", costOfOperator("mm", {a, b}, {made}));
    return made;
}

at::Scalar valueOnHost(const at::Tensor& /*x*/) { throwWaiting("item"); }

/// Stands for the attention operator that torch would choose on a real device.
class FakeAttention : public torch::autograd::Function<FakeAttention> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                              const at::Tensor& v) {
        context->save_for_backward({q, k, v});
        std::vector<std::int64_t> sizes = q.sizes().vec();
        sizes.back() = v.size(-1);
        at::Tensor made = at::empty({sizes[0], sizes[2], sizes[1], sizes[3]}, q.options()).transpose(1, 2);
        note("scaled_dot_product_attention", costOfAttention(false, {q, k, v}, {made}));
        return made;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& /*gradients*/) {
        torch::autograd::variable_list made;
        for (const at::Tensor& x : context->get_saved_variables()) made.push_back(at::empty_like(x));
        note("scaled_dot_product_attention_backward", costOfAttention(true, context->get_saved_variables(), made));
        return made;
    }
};

// NOLINTNEXTLINE(readability-function-size): the operator's signature
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::optional<at::Tensor>& /*mask*/,
                     double /*dropout*/, bool /*isCausal*/, std::optional<double> /*scale*/, bool /*groupsHeads*/) {
    return FakeAttention::apply(q, k, v);
}

// Operators that launch a kernel.

using Stack = torch::jit::Stack;

at::Tensor metaOf(const at::Tensor& x) {
    if (!x.defined() || !x.is_cuda()) return x;
    return at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kMeta));
}

c10::IValue metaArgument(const c10::IValue& given) {
    if (given.isTensor()) return metaOf(given.toTensor());
    if (given.isDevice()) return c10::Device(c10::kMeta);
    if (given.isTensorList()) {
        c10::List<at::Tensor> all;
        for (const at::Tensor& x : given.toTensorVector()) all.push_back(metaOf(x));
        return all;
    }
    if (given.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> all;
        for (const std::optional<at::Tensor>& x : given.toOptionalTensorVector())
            all.push_back(x ? std::optional(metaOf(*x)) : x);
        return all;
    }
    return given;
}

at::Tensor onDevice(const at::Tensor& meta) {
    return meta.defined() ? newTensor(meta.sizes(), meta.strides(), meta.scalar_type()) : meta;
}

c10::IValue resultOf(const c10::IValue& meta) {
    if (meta.isTensor()) return onDevice(meta.toTensor());
    if (!meta.isTensorList()) return meta;
    c10::List<at::Tensor> all;
    for (const at::Tensor& x : meta.toTensorVector()) all.push_back(onDevice(x));
    return all;
}

/// The argument that an operator wrote, resized to its new sizes.
at::Tensor writtenArgument(const c10::FunctionSchema& schema, const c10::Argument& result,
                           const std::vector<c10::IValue>& given, const at::Tensor& meta) {
    const auto& arguments = schema.arguments();
    const auto isIt = [&](const c10::Argument& one) { return one.alias_info() && *one.alias_info() == *result.alias_info(); };
    const auto found = std::find_if(arguments.begin(), arguments.end(), isIt);
    TORCH_CHECK(found != arguments.end(), schema.name(), " writes no argument");
    at::Tensor written = given[static_cast<std::size_t>(found - arguments.begin())].toTensor();
    if (written.sizes() != meta.sizes()) {
        const at::Tensor fresh = onDevice(meta);
        setStorage(written, fresh.storage(), 0, fresh.sizes(), fresh.strides());
    }
    return written;
}

std::string shortName(const c10::OperatorHandle& op) {
    const std::string name = op.schema().name();
    return name.substr(name.rfind(':') + 1);
}

void addTensors(const c10::IValue& of, std::vector<at::Tensor>& to) {
    if (of.isTensor()) to.push_back(of.toTensor());
    if (!of.isTensorList()) return;
    for (const at::Tensor& x : of.toTensorVector()) to.push_back(x);
}

/// The tensors that an operator reads.
std::vector<at::Tensor> operandsOf(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& given) {
    std::vector<at::Tensor> all;
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!schema.arguments()[i].is_out()) addTensors(given[i], all);
    return all;
}

std::vector<at::Tensor> tensorsOf(const std::vector<c10::IValue>& values) {
    std::vector<at::Tensor> all;
    for (const c10::IValue& one : values) addTensors(one, all);
    return all;
}

/// Runs any operator with a kernel of its own.
void launch(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    const std::vector<c10::IValue> given = torch::jit::pop(*stack, schema.arguments().size());
    for (const c10::IValue& one : given) stack->push_back(metaArgument(one));
    op.callBoxed(stack);
    const std::vector<c10::IValue> made = torch::jit::pop(*stack, schema.returns().size());
    note(shortName(op), costOfOperator(shortName(op), operandsOf(schema, given), tensorsOf(made)));
    for (std::size_t i = 0; i < made.size(); ++i) {
        const c10::Argument& result = schema.returns()[i];
        const auto* const alias = result.alias_info();
        TORCH_CHECK(!alias || alias->isWrite(), "the fake CUDA device has no kernel for the view ", schema.name());
        if (alias)
            stack->push_back(writtenArgument(schema, result, given, made[i].toTensor()));
        else
            stack->push_back(resultOf(made[i]));
    }
}

/// Runs an elementwise operator that has no meta kernel: the result has the size and type of the first argument.
void launchElements(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) {
    const std::vector<c10::IValue> given = torch::jit::pop(*stack, op.schema().arguments().size());
    const at::Tensor& x = given.front().toTensor();
    note(shortName(op), costOfOperator(shortName(op), {x}, {x}));
    stack->push_back(at::empty_like(x));
}

/// Operators without results that have no meta kernel.
void launchInPlace(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) {
    TORCH_CHECK(op.schema().returns().empty(), op.schema().name(), " has results");
    const std::vector<c10::IValue> given = torch::jit::pop(*stack, op.schema().arguments().size());
    note(shortName(op), costOfOperator(shortName(op), tensorsOf(given), {}));
}

/// Operators whose results the host needs.
void wait(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* /*stack*/) { throwWaiting(shortName(op)); }

/// An operator that is called on the device and launches nothing there: it makes memory or a view.
struct SilentOperator {
    const char* name;
    torch::CppFunction (*kernel)();
};
const std::vector<SilentOperator>& silentOperators() {
    using Viewed = at::Tensor(const at::Tensor&, at::IntArrayRef);
    static const std::vector<SilentOperator> kAll{
        {"empty_strided", [] { return torch::CppFunction(emptyStrided); }},
        {"empty.memory_format", [] { return torch::CppFunction(emptyOfFormat); }},
        {"as_strided", [] { return torch::CppFunction(at::native::as_strided_tensorimpl); }},
        {"view", [] { return torch::CppFunction(static_cast<Viewed*>(at::native::view)); }},
        {"_reshape_alias", [] { return torch::CppFunction(at::native::_reshape_alias); }},
        {"set_.source_Storage_storage_offset", [] { return torch::CppFunction(setStorage); }}};
    return kAll;
}

}  // namespace

c10::Device device() { return {c10::kCUDA, 0}; }

// Operators that torch composes of others in general, but for which CUDA has a kernel (native_functions.yaml), are named here.
void registerOperators() {
    static torch::Library fallback(torch::Library::IMPL, "_", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    fallback.fallback(torch::CppFunction::makeFromBoxedFunction<&launch>());
    static torch::Library m(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    for (const SilentOperator& one : silentOperators()) m.impl(one.name, one.kernel());
    m.impl("copy_", copyInto);
    m.impl("mm.dtype", productOfType);
    m.impl("_local_scalar_dense", valueOnHost);
    for (const char* name : {"native_layer_norm", "_foreach_norm.Scalar", "_fused_rms_norm"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&launch>());
    m.impl("__rshift__.Scalar", torch::CppFunction::makeFromBoxedFunction<&launchElements>());
    for (const char* name : {"_fused_adamw_.tensor_lr", "_fused_adam_.tensor_lr"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&launchInPlace>());
    for (const char* name : {"nonzero", "equal", "masked_select"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&wait>());
    static torch::Library autograd(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCUDA, __FILE__, __LINE__);
    autograd.impl("scaled_dot_product_attention", attention);
}

}  // namespace heddle::fake_cuda

std::vector<std::string> heddle::operatorsThatLaunchNothing() {
    std::vector<std::string> names;
    for (const fake_cuda::SilentOperator& one : fake_cuda::silentOperators()) names.emplace_back(one.name);
    return names;
}
