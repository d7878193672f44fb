// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"
#include "engine/verify/checks.h"

#include <memory>
#include <string>

namespace heddle::verify {

/// A block and the store with its parameters.
template <class Slot>
struct MadeBlock {
    ParameterStore store;
    std::unique_ptr<Slot> block;
    Slot* operator->() const { return block.get(); }
};

/// A single block at path "block", made by its factory.
struct OneBlock {
    std::string slot, id;
    Json params;  ///< over the defaults of its descriptor
    Dims dims;
    const RelativePosition* relative = nullptr;  ///< scorer: the positions that it applies, if it has the slot for them

    BlockContext where() const {
        BlockContext context;
        context.dims = dims;
        context.sublayer = SublayerName::Self;
        return context;
    }
    Json allParams() const { return blockParameters(slot, id, params); }

    /// The caller loads or fills the parameters.
    template <class Slot>
    MadeBlock<Slot> make(const at::TensorOptions& options) const {
        MadeBlock<Slot> made{emptyStore(options), nullptr};
        made.block = make<Slot>(made.store, options);
        return made;
    }
    template <class Slot>
    std::unique_ptr<Slot> make(ParameterStore& store, const at::TensorOptions& options) const {
        const BuildContext context{ParameterScope(store, "block"), where(), allParams(),
                                   options.dtype().toScalarType(), {},      relative};
        auto block = makeBlock(slot, id, context);
        store.to(options.device());
        return std::unique_ptr<Slot>(&dynamic_cast<Slot&>(*block.release()));
    }
};

/// Standard normal numbers from the stateless generator, float64.
at::Tensor normalTensor(at::IntArrayRef sizes, std::uint64_t seed);

/// Fills every parameter with normal values of this deviation.
void fillNormal(const ParameterStore& store, double deviation, std::uint64_t seed);

}  // namespace heddle::verify
