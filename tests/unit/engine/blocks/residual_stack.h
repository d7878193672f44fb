// SPDX-License-Identifier: Apache-2.0
// Golden cases of residual blocks: what another program worked out for stacks of small sublayers with these blocks.
#pragma once

#include "engine/base/json.h"
#include "engine/blocks/streams.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/blocks/block_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::testing_support {

/// A stack of sublayers s = tanh(M r), or s = tanh(M q) + k ⊙ v where the block feeds them apart, with one residual block each,
/// which are called as the model calls them. A case names one block for all of golden's sublayers ("form"), or that of each
/// ("residuals": attention and feed-forward in turn).
struct ResidualsUnderTest {
    ResidualsUnderTest(const Json& golden, const Json& form) {
        const at::TensorOptions options(at::kDouble);
        const bool isOfEach = form.contains("residuals");
        branches.resize(isOfEach ? form.at("residuals").size() : golden.at("branches").size());
        BlockContext where;
        where.dims.d = std::ssize(golden.at("x").front());
        where.dims.layersDec = std::ssize(branches) / 2;
        std::map<std::string, std::int64_t> residuals;
        for (std::size_t k = 0; k < branches.size(); ++k) {
            Json given = isOfEach ? form.at("residuals")[k] : form.at("form");
            const std::string id = given.at("kind");
            given.erase("kind");
            branches[k] = verify::tensorFromJson(golden.at("branches")[k], options);
            where.sublayer = k % 2 == 0 ? SublayerName::Self : SublayerName::Ffn;
            where.layer = static_cast<std::int64_t>(k / 2);
            where.before = residuals[id]++;
            const BuildContext context{ParameterScope(store, std::to_string(k)),
                                       where,
                                       verify::blockParameters("residual", id, given),
                                       at::kDouble,
                                       {}};
            std::unique_ptr<Block> block = makeBlock("residual", id, context);
            blocks.emplace_back(&dynamic_cast<Residual&>(*block.release()));
        }
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : store.entries())
            at::Tensor(tensor).copy_(verify::tensorFromJson(form.at("weights").at(path), options));
    }

    at::Tensor run(const at::Tensor& x_BSD) const {
        const auto branch = [&](std::size_t k, const at::Tensor& in_BSD, const at::Tensor& k_BSD, const at::Tensor& v_BSD) {
            const at::Tensor s_BSD = at::tanh(at::linear(in_BSD, branches[k]));
            return k_BSD.defined() ? s_BSD + k_BSD * v_BSD : s_BSD;
        };
        if (const auto* first = dynamic_cast<const StreamsResidual*>(blocks.front().get())) {
            at::Tensor h_BSND = first->expand(x_BSD);
            for (std::size_t k = 0; k < blocks.size(); ++k) {
                const auto reading = dynamic_cast<const StreamsResidual&>(*blocks[k]).read(h_BSND, {});
                h_BSND = StreamsResidual::write(reading, branch(k, reading.r_BSD, reading.k_BSD, reading.v_BSD));
            }
            return StreamsResidual::merge(h_BSND);
        }
        DepthStates states{x_BSD};
        at::Tensor h_BSD = x_BSD;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            const auto* deep = dynamic_cast<const DepthResidual*>(blocks[k].get());
            const auto entry = deep ? deep->enter(states, h_BSD, {}) : DepthResidual::Entry{h_BSD, h_BSD};
            const at::Tensor s_BSD = branch(k, entry.in_BSD, entry.k_BSD, entry.v_BSD);
            h_BSD = deep ? deep->joinOver(states, entry.r_BSD, s_BSD, {}) : blocks[k]->join(h_BSD, h_BSD, s_BSD, {});
        }
        return h_BSD;
    }

    ParameterStore store = verify::emptyStore(at::kDouble);
    std::vector<at::Tensor> branches;
    std::vector<std::unique_ptr<Residual>> blocks;
};

/// Compares every case of a file of tests/oracle, which has that many.
inline void expectFormsOf(const char* file, std::size_t count) {
    const Json golden = readJsonFile(std::string(HEDDLE_SOURCE_DIR "/tests/oracle/") + file);
    ASSERT_THAT(golden.at("forms"), ::testing::SizeIs(count));
    for (const auto& [name, form] : golden.at("forms").items()) {
        SCOPED_TRACE(name);
        const ResidualsUnderTest stack(golden, form);
        const at::Tensor x = verify::tensorFromJson(golden.at("x"), at::kDouble).unsqueeze(0).requires_grad_();
        expectGolden(x, stack.run(x), stack.store.entries(), form, 1e-10);
    }
}

}  // namespace heddle::testing_support
