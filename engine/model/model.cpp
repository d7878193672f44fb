// SPDX-License-Identifier: Apache-2.0
#include "engine/model/model.h"

#include "engine/device/torch_pch.h"

namespace heddle {

ModelReads readsOf(const ResolvedVariant& variant) {
    return {!variant.encoder.empty(), !variant.decoder.empty(), patchesOf(variant)};
}

at::Tensor hiddenOf(const Model& model, const ModelInput& source, const ModelInput& target, const Forward& f) {
    const ModelReads reads = readsOf(model.variant());
    Memory memory;
    if (reads.source) memory = {model.encode(source, f), source.ids_BS, source.padding};
    return reads.target ? model.decode(target, memory, f) : memory.hidden_BSD;
}

at::Tensor headInputOf(const Model& model, const ModelInput& source, const ModelInput& target, const Forward& f) {
    const at::Tensor& ids_BS = readsOf(model.variant()).target ? target.ids_BS : source.ids_BS;
    return model.pool(hiddenOf(model, source, target, f), ids_BS, f);
}

}  // namespace heddle
