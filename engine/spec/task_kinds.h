// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A task: a value of data.task.
struct TaskKind {
    /// What the model reads.
    enum class Input { Text, Image };
    /// What it is trained to predict.
    enum class Target {
        Translation,   ///< the second sentence of a pair, given the first
        MaskedTokens,  ///< the tokens behind <mask>
        CleanTokens,   ///< every token of a text that was corrupted
        NextToken,
        Class,
        Number,
        Tags,  ///< a class a word
        Span   ///< the words of a context that answer a question
    };

    std::string id, title;
    std::string summary;  ///< one sentence, for users
    Input input = Input::Text;
    Target target = Target::Class;
    std::vector<Topology> topologies;  ///< of models that support it
    std::vector<std::string> heads;    ///< those whose outputs the task needs; its usual one first
    std::vector<std::string> metrics;  ///< of an evaluation besides its loss, the primary one first

    /// Whether data.<split> names two files: sentences and their translations, images and their classes.
    bool readsPairs() const { return target == Target::Translation || input == Input::Image; }
    bool hasTokenizer() const { return input == Input::Text; }
    /// Whether the outputs of its models are tokens of a vocabulary.
    bool predictsTokens() const {
        return target == Target::Translation || target == Target::MaskedTokens || target == Target::CleanTokens ||
               target == Target::NextToken;
    }
};

/// All tasks, in display order.
const std::vector<TaskKind>& taskKinds();
std::vector<std::string> taskNames();
/// Throws Error(InvalidInput) with a suggestion.
const TaskKind& taskKind(const std::string& id);

/// Whether one output distinguishes two classes: hinge loss, score > 0 means the second class (variants.md S11).
bool isBinaryHinge(const RunSpec& spec);
/// Number of classes of a classifier: dims.classes, or two if isBinaryHinge(); nothing if the data decide.
std::optional<std::int64_t> classesOfOutputs(const RunSpec& spec);

/// Number of outputs of a classifier for data with this number of classes.
std::int64_t outputsFor(const RunSpec& spec, std::int64_t classes);

/// Whether a metric needs free-running decoding.
bool isDecodedMetric(const std::string& metric);

/// At the end of the signature of every value that is measured on visible answers.
inline constexpr const char* kVisibleAnswer = "|answer:visible";
/// A sentence where the model is given what it is to predict: the task's answers stand in the decoder's own input, and a block
/// shows it later positions. Empty elsewhere. What is measured on given answers (loss, accuracy, perplexity) then says nothing.
std::string visibleAnswerWarning(const RunSpec& spec);
/// Throws Error(InvalidInput) for such a model of language, unless a preset has the same block in its place: a paper has it so.
void throwIfAnswerIsVisible(const RunSpec& spec);

/// Throws Error(InvalidInput) when topology or head of the variant do not support the run's task, naming the nearest that does.
void throwIfNotTrainable(const RunSpec& spec);

}  // namespace heddle
