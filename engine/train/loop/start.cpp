// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/start.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/links.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/loading/span_kinds.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_spec.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/checkpoint/released_bert.h"
#include "engine/train/loop/identity.h"

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

/// The weights that a run starts from.
struct Source {
    std::string path;
    NamedTensors weights;
    bool isRelease = false;
    std::vector<std::string> classes;  ///< of the run that wrote them; empty: none
};

Source openSource(const StartSpec& start, const std::vector<std::int64_t>& publishedRows) {
    if (startsFromRelease(start)) return {start.checkpoint, readReleasedBert(start.checkpoint, publishedRows), true, {}};
    const RecordedFiles recorded = recordedFiles(readCheckpointIdentity(start.checkpoint), start.checkpoint);
    return {start.checkpoint, readCheckpointWeights(start.checkpoint), false,
            loadClasses(tokenizerFolderOf(start.checkpoint), recorded)};
}

/// The classes that the rows of a head mean. Those of a span's are its beginning and its end, whether or not the data have
/// questions without an answer.
std::vector<std::string> classesOfRows(const std::vector<std::string>& classes) {
    if (classes == std::vector<std::string>{kAnswerKind, kNoAnswerKind}) return {kAnswerKind};
    return classes;
}

/// Whether the head finds the beginning and the end of an answer.
bool areKindsOfAnswers(const std::vector<std::string>& classes) {
    return classesOfRows(classes) == std::vector<std::string>{kAnswerKind};
}

/// The rows of a stored head in the order of this run's classes. Rows mean the classes that they were trained for: where these
/// are others, none fits.
class ClassRows {
public:
    ClassRows(const ResolvedVariant& variant, const std::vector<std::string>& stored, const std::vector<std::string>& wanted) {
        forEachBlock(variant, [&](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
            for (const std::string& parameter : builtinCatalogue().at(slot, choice.id).classRows)
                paths_.push_back(childPath(path, parameter));
        });
        isMoved_ = classesOfRows(stored) != classesOfRows(wanted);
        if (!isMoved_ || stored.size() != wanted.size()) return;
        for (const std::string& name : wanted) {
            const auto found = std::find(stored.begin(), stored.end(), name);
            if (found != stored.end()) rows_.push_back(found - stored.begin());
        }
        if (rows_.size() != wanted.size()) rows_.clear();
    }

    /// The part of a stored tensor with this path that fits this run's classes; undefined: none.
    at::Tensor ordered(const std::string& path, const at::Tensor& stored) {
        if (!isMoved_ || !contains(paths_, path)) return stored;
        isUsed_ = true;
        if (rows_.empty() || stored.size(0) != std::ssize(rows_)) return {};
        return stored.index_select(0, at::tensor(rows_, at::kLong));
    }

    /// Whether the stored head has as many rows as this run's, for other classes or in another order.
    bool isUsed() const { return isUsed_; }

    /// What became of the head; empty: nothing.
    std::string note(const std::vector<std::string>& stored) const {
        if (!isUsed_) return "";
        if (!rows_.empty())
            return "the classes have another order in the checkpoint: the rows of the head are reordered by name";
        return stored.empty() ? "the head of the checkpoint does not match the classes"
                              : "the checkpoint was trained for other classes: " + listedNames(stored);
    }

private:
    std::vector<std::string> paths_;
    std::vector<std::int64_t> rows_;  ///< stored row of each class; empty: the classes are others
    bool isMoved_ = false, isUsed_ = false;
};

bool isOfHead(const std::string& path) { return isBelow(path, "head"); }

[[noreturn]] void throwOtherShape(const std::string& path, const at::Tensor& stored, const at::Tensor& wanted,
                                  const std::string& file) {
    throwInvalid(c10::str("\"", path, "\" has the shape ", stored.sizes(), " in the checkpoint, but the variant expects ",
                          wanted.sizes()),
                 file,
                 "set the variant's dims to those of the published model (dims.max_len at most as long), or repair the file");
}

void take(Model& model, const StartSpec& start, const Source& source, const std::vector<std::string>& classes,
          StartedFrom& started) {
    const auto neutral = neutralValues(model.variant());
    ClassRows classRows(model.variant(), source.classes, classes);
    std::vector<std::string> absent, reshaped;  // outside the head
    const at::NoGradGuard noGrad;
    std::vector<ParameterStore::Entry> takers = model.parameters().entries();
    const NamedTensors saved = savedTensors(model);
    for (const auto& table : model.parameters().frozen())
        if (saved.contains(table.path) && source.weights.contains(table.path)) takers.push_back(table);
    for (const auto& [path, tensor] : takers) {
        const auto found = source.weights.find(path);
        const auto value = neutral.find(path);
        at::Tensor stored = found == source.weights.end() ? at::Tensor() : fitting(path, found->second, tensor);
        if (found != source.weights.end() && !stored.defined() && source.isRelease && !isOfHead(path))
            throwOtherShape(path, found->second, tensor, source.path);
        if (stored.defined()) stored = classRows.ordered(path, stored);
        if (stored.defined()) {
            at::Tensor(tensor).copy_(stored);
            started.taken.push_back(path);
        } else if (start.neutral && found == source.weights.end() && value != neutral.end()) {
            at::Tensor(tensor).fill_(value->second);
            started.neutral.push_back(path);
        } else {
            started.drawn.push_back(path);
            if (!isOfHead(path)) (found == source.weights.end() ? absent : reshaped).push_back(path);
        }
    }
    // A head with a span's two rows and without names of classes is one of task span, from before it had names.
    if (classRows.isUsed() && !source.isRelease && source.classes.empty() && areKindsOfAnswers(classes))
        throwOtherAnswers(source.path, "train that run again with this version, and start from the new one");
    if (started.taken.empty())
        throwInvalid("the checkpoint shares no parameter with this variant", start.checkpoint,
                     "start from a checkpoint of a variant with the same dims");
    started.note = classRows.note(source.classes);
    if (!absent.empty())
        started.warnings.push_back("parameters that the start weights do not have are drawn at random: " + listedNames(absent));
    if (!reshaped.empty())
        started.warnings.push_back("parameters that have another shape in the start weights are drawn at random: " +
                                   listedNames(reshaped));
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
                         "use a module path as heddle variants count prints it");
    }
    if (frozen.size() == model.parameters().entries().size())
        throwInvalid("every parameter is frozen", "train.start.freeze", "leave at least one parameter to train");
    return frozen;
}

}  // namespace

bool startsFromRelease(const StartSpec& start) { return std::filesystem::is_regular_file(start.checkpoint); }

void freezeParameters(Model& model, const StartSpec& start) { freeze(model, start); }

std::vector<std::int64_t> publishedRows(const RunSpec& spec, const RunData& data) {
    std::vector<std::int64_t> rows;
    if (!startsFromRelease(spec.train.start)) return rows;
    const TokenizerSpec& tokenizer = spec.data.tokenizer;
    if (!data.sourceTokenizer || tokenizer.kind != TokenizerKind::WordPiece || givenFile(tokenizer).empty())
        throwInvalid("published weights need their own vocabulary, but the run would create another", "data.tokenizer",
                     "set data.tokenizer.kind to wordpiece and data.tokenizer.vocab to the vocab.txt that was published with " +
                         spec.train.start.checkpoint);
    for (std::int64_t id = 0; id < data.sourceTokenizer->size(); ++id)
        rows.push_back(data.sourceTokenizer->publisherId(static_cast<std::int32_t>(id)));
    return rows;
}

StartedFrom startFrom(Model& model, const StartSpec& start, const std::vector<std::int64_t>& publishedRows,
                      const std::vector<std::string>& classes) {
    StartedFrom started;
    if (!start.checkpoint.empty()) {
        const std::filesystem::path given(start.checkpoint);
        if (!startsFromRelease(start)) requireNoLink(start.checkpoint, "weights.safetensors");
        const std::string sha256 = sha256OfFile((startsFromRelease(start) ? given : given / "weights.safetensors").string());
        if (!start.weightsSha256.empty() && sha256 != start.weightsSha256)
            throwInvalid("the weights of the checkpoint have changed since the run was created", start.checkpoint,
                         "restore it, or create a new run from it");
        take(model, start, openSource(start, publishedRows), classes, started);
        started.run = given.parent_path().filename().string();
        started.step = given.filename().string();
        started.weightsSha256 = sha256;
    }
    started.frozen = freeze(model, start);
    return started;
}

}  // namespace heddle
