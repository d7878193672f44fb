// SPDX-License-Identifier: Apache-2.0
// Products with an epilogue on a CUDA device beside their definition in float64 on the CPU. Runs with
// HEDDLE_WITH=cuda-epilogues.
#include "engine/device/cuda_module.h"
#include "engine/device/precision.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/product_epilogues.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

#include <iostream>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::leaf;
using testing_support::relative;

constexpr double kOfBFloat16 = 1e-2;

class CudaKernelsOfProducts : public testing::Test {
protected:
    void SetUp() override {
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
        if (!isUsed(OwnKernel::CudaEpilogues)) GTEST_SKIP() << "HEDDLE_WITH does not name cuda-epilogues";
    }
    /// Values that bfloat16 has, on the CPU in float32.
    static at::Tensor drawn(const std::string& name, at::IntArrayRef sizes) {
        return drawnFloats(3, name, sizes).to(at::kBFloat16).to(at::kFloat);
    }
    static at::Tensor onDevice(const at::Tensor& x, at::ScalarType type = at::kFloat) {
        return x.to(at::kCUDA, type).set_requires_grad(true);
    }
    static at::Tensor onHost(const at::Tensor& x) { return x.detach().cpu(); }
};

/// Prints what a step of W1, W2t, W5-g and W6 asks for, and how much memory each product needs.
TEST_F(CudaKernelsOfProducts, ExistForTheWorkloads) {
    using cuda::ProductEpilogue;
    struct Sizes {
        ProductEpilogue epilogue;
        std::int64_t inputs, outputs;
    };
    constexpr std::int64_t kRows = 8192;
    for (const std::int64_t width : {256, 512})
        for (const auto& [epilogue, inputs, outputs] :
             {Sizes{ProductEpilogue::BiasGradient, width, width}, Sizes{ProductEpilogue::BiasGradient, width, 2 * width},
              Sizes{ProductEpilogue::BiasGradient, width, 3 * width}, Sizes{ProductEpilogue::BiasGradient, width, 4 * width},
              Sizes{ProductEpilogue::BiasGradient, width, width == 256 ? 7872 : 8512},
              Sizes{ProductEpilogue::ReluGradient, 4 * width, width}}) {
            const bool sumsUp = epilogue == ProductEpilogue::BiasGradient;
            const std::int64_t bytes = cudaTable()->productMemory({epilogue, kRows, inputs, outputs, outputs, inputs}, 0);
            std::cout << (sumsUp ? "gradient of the bias, " : "gradient of ReLU, ") << inputs << " inputs, " << outputs
                      << " outputs: " << bytes << " bytes\n";
            EXPECT_GE(bytes, 0) << "cuBLASLt has no algorithm: the product and the pass stay apart";
        }
}

TEST_F(CudaKernelsOfProducts, MakeTheGradientsOfWeightsAndBiases) {
    for (const std::int64_t rows : {8, 100, 8192})
        for (const auto& [inputs, outputs] : {std::pair(64, 64), std::pair(512, 1536), std::pair(256, 7872)})
            for (const std::int64_t behind : {0, 64}) {
                SCOPED_TRACE(testing::Message() << rows << ", " << inputs << " -> " << outputs << ", " << behind << " behind");
                const at::Tensor dy = drawn("dy", {rows, outputs + behind}), x = drawn("x", {rows, inputs});
                const at::Tensor dy16 = dy.to(at::kCUDA, at::kBFloat16).narrow(1, 0, outputs),
                                 x16 = x.to(at::kCUDA, at::kBFloat16);
                const ParameterGradients made = gradientsByOneProduct(dy16, x16), again = gradientsByOneProduct(dy16, x16);
                ASSERT_TRUE(made.weight_OI.defined());
                const at::Tensor dy_NO = dy.narrow(1, 0, outputs).to(at::kDouble);
                EXPECT_LT(relative(onHost(made.weight_OI), at::mm(dy_NO.t(), x.to(at::kDouble))), 1e-4);
                EXPECT_LT(relative(onHost(made.bias_O), dy_NO.sum(0)), 1e-4) << "in float32";
                EXPECT_TRUE(at::equal(made.weight_OI, again.weight_OI) && at::equal(made.bias_O, again.bias_O));
            }
}

TEST_F(CudaKernelsOfProducts, TakeReluAndDropoutBetweenTwoMaps) {
    const RandomKey key = randomKey(1, "inner", 17);
    for (const double p : {0.0, 0.3}) {
        const std::int64_t inputs = 64, hidden = 384, outputs = 72;
        const at::Tensor x = drawn("x", {5, 20, inputs}), w1 = drawn("w1", {hidden, inputs}) / 8, b1 = drawn("b1", {hidden}),
                         w2 = drawn("w2", {outputs, hidden}) / 16, b2 = drawn("b2", {outputs}),
                         dy = drawn("dy", {5, 20, outputs});
        const std::vector<at::Tensor> device{onDevice(x), onDevice(w1), onDevice(b1), onDevice(w2), onDevice(b2)},
            host{leaf(x), leaf(w1), leaf(b1), leaf(w2), leaf(b2)};
        const ReducedParameters copies({device[1], device[2], device[3], device[4]});
        const ReducedScope scope(&copies);
        const at::Tensor y = throughReluDropout(device[0], {{device[1], device[2]}, {device[3], device[4]}, key, p});
        y.backward(dy.to(at::kCUDA, at::kBFloat16));
        // The device's own h says which elements are positive: rounding may turn the sign of one.
        const at::Tensor h = at::linear(host[0], host[1], host[2]),
                         kept = onHost(affine(device[0], device[1], device[2])).gt(0).to(at::kDouble) *
                                dropoutMask(key, p, h.sizes(), at::kDouble);
        const at::Tensor expected = at::linear(h * kept, host[3], host[4]);
        expected.backward(dy.to(at::kDouble));
        EXPECT_LT(relative(onHost(y), expected), kOfBFloat16);
        for (std::size_t i = 0; i < device.size(); ++i)
            EXPECT_LT(relative(onHost(device[i].grad()), host[i].grad()), kOfBFloat16) << "gradient of operand " << i;
    }
}

}  // namespace
}  // namespace heddle
