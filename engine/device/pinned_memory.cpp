// SPDX-License-Identifier: Apache-2.0
#include "engine/device/pinned_memory.h"

#include "engine/device/torch_pch.h"

#include <ATen/Context.h>

namespace heddle {

at::Tensor pinnedTensor(at::IntArrayRef sizes, at::ScalarType type) {
    const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * at::elementSize(type);
    c10::DataPtr block = at::globalContext().getPinnedMemoryAllocator(at::kCUDA)->allocate(bytes);
    void* const values = block.get();
    const c10::DeleterFnPtr release = block.get_deleter();
    void* const context = block.release_context();
    const auto released = [release, context](void*) {
        try {
            release(context);
        } catch (const c10::Error&) {  // the device is lost, which the next operation on it says
        }
    };
    return at::from_blob(values, sizes, released, at::TensorOptions(type).device(at::kCPU));
}

}  // namespace heddle
