// SPDX-License-Identifier: Apache-2.0
#include "engine/model/base_model.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/catalogue.h"

#include <cstddef>
#include <vector>

namespace heddle {
namespace {

[[noreturn]] void refuseWidth(const std::string& what) {
    throwInvalid(what, "variant, dims.base_d", "leave base_d out, or choose another block there");
}

void requireTransferable(const ResolvedVariant& variant) {
    forEachBlock(variant, [](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
        const BlockDescriptor& block = builtinCatalogue().at(slot, choice.id);
        if (block.resistsWidthTransfer && block.resistsWidthTransfer(choice.params))
            refuseWidth("no rule is known by which block \"" + choice.id + "\" at " + path + " transfers to another width");
    });
}

/// Refuses a map from a width to a fixed number of outputs, which would grow with the width. The head may be one, since it
/// divides its input by the ratio of the widths. Also refuses parameters with more than two widths.
void requireNoOtherOutput(const std::string& path, const BaseModel::Parameter& base, at::IntArrayRef sizes) {
    if (sizes.size() < 2 || path.starts_with("head") || base.initial.kind == Initial::Kind::Embedding) return;
    const std::vector<std::size_t> widths = base.widthsOf(sizes);
    if (widths.size() > 2) refuseWidth(path + " has more than two axes that grow with the width");
    if (widths.size() == 1 && widths.back() + 1 == sizes.size())
        refuseWidth("the input of " + path + " is wider than the base model's, and its output is not");
}

}  // namespace

BaseModel baseModelOf(const ResolvedVariant& variant) {
    requireTransferable(variant);
    ResolvedVariant base = variant;
    base.dims = variant.dims.base();
    const auto model = outlineModel(variant), ofBase = outlineModel(base);
    BaseModel made = ofBase->parameters().asBase();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const auto found = made.parameters.find(path);
        if (found == made.parameters.end() || found->second.sizes.size() != static_cast<std::size_t>(tensor.dim()))
            refuseWidth("the base model has no parameter " + path);
        requireNoOtherOutput(path, found->second, tensor.sizes());
    }
    return made;
}

}  // namespace heddle
