// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/start.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_resolve.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/released_bert.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace heddle {
namespace {

/// Values of parameters that make their block ineffective, by path; only for blocks that have such values.
std::map<std::string, double> neutralValues(const ResolvedVariant& variant) {
    std::map<std::string, double> values;
    forEachBlock(variant, [&](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
        for (const auto& [parameter, value] : builtinCatalogue().at(slot, choice.id).neutral)
            values[path + "." + parameter] = value;
    });
    return values;
}

bool isBelow(const std::string& path, const std::string& beginning) {
    return path == beginning || (path.starts_with(beginning) && path[beginning.size()] == '.');
}

/// The part of a stored tensor that fits a parameter: all, or the first rows of learned positions; undefined: none.
at::Tensor fitting(const std::string& path, const at::Tensor& stored, const at::Tensor& parameter) {
    if (stored.sizes() == parameter.sizes()) return stored;
    const bool isLonger = path == "position.weight" && stored.dim() == 2 && stored.size(1) == parameter.size(1) &&
                          stored.size(0) > parameter.size(0);
    return isLonger ? stored.narrow(0, 0, parameter.size(0)) : at::Tensor();
}

void take(Model& model, const StartSpec& start, const std::vector<std::int64_t>& publishedRows, StartedFrom& started) {
    const NamedTensors weights =
        startsFromRelease(start) ? readReleasedBert(start.checkpoint, publishedRows) : readCheckpointWeights(start.checkpoint);
    const auto neutral = neutralValues(model.variant());
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : model.parameters().entries()) {
        const auto found = weights.find(path);
        const auto value = neutral.find(path);
        const at::Tensor stored = found == weights.end() ? at::Tensor() : fitting(path, found->second, tensor);
        if (stored.defined()) {
            tensor.copy_(stored);
            started.taken.push_back(path);
        } else if (start.neutral && found == weights.end() && value != neutral.end()) {
            tensor.fill_(value->second);
            started.neutral.push_back(path);
        } else {
            started.drawn.push_back(path);
        }
    }
    if (started.taken.empty())
        throwInvalid("the checkpoint shares no parameter with this variant", start.checkpoint,
                     "start from one of a variant with the same dims");
}

/// Freezes the parameters that `start` names; returns their paths.
std::vector<std::string> freeze(Model& model, const StartSpec& start) {
    std::vector<std::string> frozen;
    for (const std::string& beginning : start.freeze) {
        bool found = false;
        for (const auto& [path, tensor] : model.parameters().entries()) {
            if (!isBelow(path, beginning)) continue;
            at::Tensor(tensor).set_requires_grad(false);
            frozen.push_back(path);
            found = true;
        }
        if (!found)
            throwInvalid("no parameter has the path prefix \"" + beginning + "\"", "train.start.freeze",
                         "name a module as heddle variants count lists it");
    }
    if (frozen.size() == model.parameters().entries().size())
        throwInvalid("every parameter is frozen", "train.start.freeze", "leave something to train");
    return frozen;
}

}  // namespace

bool startsFromRelease(const StartSpec& start) { return std::filesystem::is_regular_file(start.checkpoint); }

void freezeParameters(Model& model, const StartSpec& start) { freeze(model, start); }

std::vector<std::int64_t> publishedRows(const RunSpec& spec, const RunData& data) {
    std::vector<std::int64_t> rows;
    if (!startsFromRelease(spec.train.start)) return rows;
    const TokenizerSpec& tokenizer = spec.data.tokenizer;
    if (!data.sourceTokenizer || tokenizer.kind != "wordpiece" || givenFile(tokenizer).empty())
        throwInvalid("published weights know the words of their own vocabulary alone, the run makes another", "data.tokenizer",
                     "set data.tokenizer.kind to wordpiece and data.tokenizer.vocab to the vocab.txt that was published with " +
                         spec.train.start.checkpoint);
    for (std::int64_t id = 0; id < data.sourceTokenizer->size(); ++id)
        rows.push_back(data.sourceTokenizer->publisherId(static_cast<std::int32_t>(id)));
    return rows;
}

StartedFrom startFrom(Model& model, const StartSpec& start, const std::vector<std::int64_t>& publishedRows) {
    StartedFrom started;
    if (!start.checkpoint.empty()) {
        const std::filesystem::path given(start.checkpoint);
        const std::string sha256 = sha256OfFile((startsFromRelease(start) ? given : given / "weights.safetensors").string());
        if (!start.weightsSha256.empty() && sha256 != start.weightsSha256)
            throwInvalid("the checkpoint is not the one that the run was made for: its weights have changed", start.checkpoint,
                         "restore it, or make a new run from it");
        take(model, start, publishedRows, started);
        started.run = given.parent_path().filename().string();
        started.step = given.filename().string();
        started.weightsSha256 = sha256;
    }
    started.frozen = freeze(model, start);
    return started;
}

}  // namespace heddle
