// SPDX-License-Identifier: Apache-2.0
#include "engine/library/example_scores.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <string_view>

namespace heddle {
namespace {

void addTo(at::Tensor& sum_H, const at::Tensor& added_HN) {
    const at::Tensor added_H = added_HN.to(at::kDouble).sum(-1);
    sum_H = sum_H.defined() ? sum_H + added_H : added_H;
}

/// [words, tokens]: 1 where the token is of the word.
at::Tensor membership(const std::vector<std::int64_t>& words) {
    const std::int64_t count = words.empty() ? 0 : words.back() + 1;
    at::Tensor of_WT = at::zeros({count, std::ssize(words)}, at::kDouble);
    for (std::size_t i = 0; i < words.size(); ++i) of_WT[words[i]][static_cast<std::int64_t>(i)] = 1;
    return of_WT;
}

}  // namespace

at::Tensor WeightTaps::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    if (wants(module, exposure)) weights[module] = value;
    return value;
}

bool WeightTaps::wants(const std::string&, const char* exposure) const {
    return std::string_view(exposure) == kAttentionWeight;
}

void QuerySums::addSelf(const at::Tensor& weights_HQK) {
    const std::int64_t count = weights_HQK.size(-1) - 2;
    if (count <= 0) return;
    const auto diagonal = [&](std::int64_t offset) { return weights_HQK.diagonal(offset, 1, 2); };
    addTo(previous_H, diagonal(-1).narrow(1, 1, count));  // element j is of query j + 1
    addTo(current_H, diagonal(0).narrow(1, 2, count));
    addTo(next_H, diagonal(1).narrow(1, 2, count - 1));  // the last query has no next key
    addTo(first_H, weights_HQK.select(2, 0).narrow(1, 2, count));
    queries += count;
    queriesWithNext += count - 1;
}

void QuerySums::addEntropy(const at::Tensor& weights_HQK) {
    const at::Tensor w_HQK = weights_HQK.to(at::kDouble);
    addTo(entropy_H, -at::xlogy(w_HQK, w_HQK).sum(-1) / std::log(2.0));
    queries += weights_HQK.size(1);
}

std::optional<std::vector<std::int64_t>> wordsOfTokens(const Tokenizer& tokenizer, const std::string& text,
                                                       const std::vector<std::int32_t>& tokens) {
    std::vector<std::int64_t> words;
    std::vector<std::int32_t> joined;
    const std::vector<std::string> texts = splitWords(text, WordSplit::Whitespace);
    for (std::size_t word = 0; word < texts.size(); ++word) {
        const std::vector<std::int32_t> ids = tokenizer.encode(texts[word]);
        joined.insert(joined.end(), ids.begin(), ids.end());
        words.insert(words.end(), ids.size(), static_cast<std::int64_t>(word));
    }
    if (joined != tokens) return std::nullopt;
    return words;
}

std::vector<std::set<WordLink>> largestWeightLinks(const at::Tensor& weights_HTS, const WordsOfPair& words) {
    std::vector<std::set<WordLink>> links(static_cast<std::size_t>(weights_HTS.size(0)));
    if (words.source.empty() || words.target.empty()) return links;
    const at::Tensor w_HTS =
        weights_HTS.to(at::kCPU, at::kDouble).narrow(1, 0, std::ssize(words.target)).narrow(2, 0, std::ssize(words.source));
    const at::Tensor source_IS = membership(words.source), target_JT = membership(words.target);
    // The mean over a target word's tokens has the same largest element as their sum.
    const at::Tensor best_HJ = target_JT.matmul(w_HTS).matmul(source_IS.t()).argmax(-1).contiguous();
    const std::int64_t targets = best_HJ.size(1);
    for (std::size_t head = 0; head < links.size(); ++head)
        for (const std::int64_t word : std::set(words.target.begin(), words.target.end()))
            links[head].insert(
                {best_HJ.const_data_ptr<std::int64_t>()[static_cast<std::int64_t>(head) * targets + word], word});
    return links;
}

RepeatSums repeatSums(const at::Tensor& weights_BHQK, std::int64_t marks, std::int64_t length) {
    const auto sum = [&](std::int64_t back, std::int64_t first) {
        const at::Tensor seen_BHN = weights_BHQK.diagonal(-back, 2, 3).narrow(2, first, length);
        return seen_BHN.to(at::kDouble).sum(at::IntArrayRef{0, 2});
    };
    return {sum(length, marks), sum(length - 1, marks + 1)};  // element j is of query back + j
}

double copyingScore(const at::Tensor& through_DD, const HeadProjections& of) {
    const std::int64_t width = of.out_DE.size(1) / of.heads, groups = of.value_ED.size(0) / width;
    const std::int64_t group = of.head * groups / of.heads;
    const at::Tensor value_ED = of.value_ED.narrow(0, group * width, width).to(at::kCPU, at::kDouble);
    const at::Tensor out_DE = of.out_DE.narrow(1, of.head * width, width).to(at::kCPU, at::kDouble);
    const at::Tensor eigenvalues_E = at::linalg_eigvals(value_ED.matmul(through_DD).matmul(out_DE));
    const double sizes = eigenvalues_E.abs().sum().item<double>();
    return sizes == 0 ? 0 : at::real(eigenvalues_E).sum().item<double>() / sizes;
}

}  // namespace heddle
