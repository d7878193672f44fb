// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/joint_parts.h"

#include "engine/base/contains.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/late_sums.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

using PartsContext = torch::autograd::AutogradContext;
using PartGradients = torch::autograd::variable_list;

/// Names of what a backward pass keeps: the gradient of the whole, and the numbers of the parts whose place is taken.
constexpr const char *kWhole = "whole", *kPlaced = "placed";

class JointParts : public torch::autograd::Function<JointParts> {
public:
    static PartGradients forward(PartsContext* context, const at::Tensor& x, const std::vector<std::int64_t>& widths) {
        context->saved_data["sizes"] = x.sizes();
        context->saved_data["widths"] = widths;
        context->saved_data[kPlaced] = std::vector<std::int64_t>{};
        context->set_materialize_grads(false);
        return x.split_with_sizes(widths, -1);
    }

    static PartGradients backward(PartsContext* context, const PartGradients& gradients) {
        const auto given = std::find_if(gradients.begin(), gradients.end(), [](const at::Tensor& g) { return g.defined(); });
        if (given == gradients.end()) return PartGradients(2);
        const std::vector<std::int64_t> sizes = context->saved_data["sizes"].toIntVector();
        at::Tensor whole;
        if (!context->saved_data[kPlaced].toIntVector().empty()) whole = context->saved_data[kWhole].toTensor();
        context->saved_data[kPlaced] = std::vector<std::int64_t>{};
        context->saved_data[kWhole] = at::Tensor();
        PartGradients parts;
        std::int64_t first = 0;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const std::int64_t width = widthsOf(*context)[i];
            if (whole.defined())
                fill(whole.narrow(-1, first, width), gradients[i]);
            else
                parts.push_back(gradients[i].defined() ? gradients[i] : zerosOfWidth(sizes, width, given->options()));
            first += width;
        }
        return {whole.defined() ? whole : at::cat(parts, -1), at::Tensor()};
    }

    /// Returns the memory of one part in the gradient of the whole, to the first caller of a backward pass; else undefined.
    static at::Tensor place(PartsContext& context, std::size_t number, at::IntArrayRef partSizes,
                            const at::TensorOptions& options) {
        const std::vector<std::int64_t> widths = widthsOf(context), sizes = context.saved_data["sizes"].toIntVector();
        std::vector<std::int64_t> own = sizes, placed = context.saved_data[kPlaced].toIntVector();
        own.back() = widths.at(number);
        const auto part = static_cast<std::int64_t>(number);
        if (partSizes != own || contains(placed, part)) return {};
        if (placed.empty()) context.saved_data[kWhole] = at::empty(sizes, options);
        const at::Tensor whole = context.saved_data[kWhole].toTensor();
        if (!whole.options().type_equal(options)) return {};
        placed.push_back(part);
        context.saved_data[kPlaced] = placed;
        return whole.narrow(-1, std::accumulate(widths.begin(), widths.begin() + part, std::int64_t{0}), own.back());
    }

    /// Returns the gradient of the whole if these are all its parts and no place is taken; else undefined.
    static at::Tensor whole(PartsContext& context, std::vector<std::int64_t> numbers, const at::TensorOptions& options) {
        std::vector<std::int64_t> all(widthsOf(context).size());
        std::iota(all.begin(), all.end(), 0);
        std::sort(numbers.begin(), numbers.end());
        if (numbers != all || !context.saved_data[kPlaced].toIntVector().empty()) return {};
        at::Tensor made = at::empty(context.saved_data["sizes"].toIntVector(), options);
        context.saved_data[kPlaced] = all;
        context.saved_data[kWhole] = made;
        return made;
    }

private:
    static std::vector<std::int64_t> widthsOf(PartsContext& context) { return context.saved_data["widths"].toIntVector(); }

    static at::Tensor zerosOfWidth(std::vector<std::int64_t> sizes, std::int64_t width, const at::TensorOptions& options) {
        sizes.back() = width;
        return at::zeros(sizes, options);
    }

    static void fill(const at::Tensor& place, const at::Tensor& gradient) {
        if (!gradient.defined())
            place.zero_();
        else if (gradient.const_data_ptr() != place.const_data_ptr() || gradient.strides() != place.strides())
            place.copy_(gradient);
    }
};

/// The part at the end of this edge: its function and its number.
std::pair<torch::autograd::CppNode<JointParts>*, std::size_t> partAt(const torch::autograd::Edge& edge) {
    return {dynamic_cast<torch::autograd::CppNode<JointParts>*>(edge.function.get()), edge.input_nr};
}

}  // namespace

std::vector<at::Tensor> jointParts(const at::Tensor& x, const std::vector<std::int64_t>& widths) {
    return x.requires_grad() ? JointParts::apply(x, widths) : x.split_with_sizes(widths, -1);
}

at::Tensor placeOfGradient(std::size_t input, const at::Tensor& like) {
    const std::shared_ptr<torch::autograd::Node> node = torch::autograd::get_current_node();
    if (!node || !isPlainBackward()) return {};
    const auto [joint, number] = partAt(node->next_edge(input));
    return joint ? JointParts::place(joint->ctx_, number, like.sizes(), like.options()) : at::Tensor();
}

at::Tensor placeOfHeads(std::size_t input, const at::Tensor& like_BHSE) {
    const std::shared_ptr<torch::autograd::Node> node = torch::autograd::get_current_node();
    if (!node || !isPlainBackward()) return {};
    torch::autograd::Edge edge = node->next_edge(input);
    for (const char* const view : {"TransposeBackward0", "ViewBackward0"}) {  // of splitHeads(), the last one first
        if (!edge.is_valid() || edge.function->name() != view) return {};
        edge = edge.function->next_edge(0);
    }
    const auto [joint, number] = partAt(edge);
    if (!joint) return {};
    const std::int64_t heads = like_BHSE.size(1), width = like_BHSE.size(3);
    const at::Tensor place_BSD =
        JointParts::place(joint->ctx_, number, {like_BHSE.size(0), like_BHSE.size(2), heads * width}, like_BHSE.options());
    return place_BSD.defined() ? place_BSD.unflatten(-1, {heads, width}).transpose(1, 2) : at::Tensor();
}

at::Tensor wholeOfGradients(const std::vector<std::size_t>& inputs, const at::TensorOptions& options) {
    const std::shared_ptr<torch::autograd::Node> node = torch::autograd::get_current_node();
    if (!node || !isPlainBackward()) return {};
    auto* const joint = partAt(node->next_edge(inputs.front())).first;
    std::vector<std::int64_t> numbers;
    for (const std::size_t input : inputs) {
        const auto [own, number] = partAt(node->next_edge(input));
        if (!own || own != joint) return {};
        numbers.push_back(static_cast<std::int64_t>(number));
    }
    return JointParts::whole(joint->ctx_, std::move(numbers), options);
}

}  // namespace heddle
