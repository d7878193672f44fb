// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What a run asks of its model: a value of data.task.
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
    std::vector<std::string> topologies;  ///< of the models that can do it
    std::vector<std::string> heads;
    std::vector<std::string> metrics;  ///< of an evaluation besides its loss; the first decides between checkpoints by hand

    /// Whether data.<split> names two files: sentences and their translations, images and their classes.
    bool readsPairs() const { return target == Target::Translation || input == Input::Image; }
    bool hasTokenizer() const { return input == Input::Text; }
};

/// All tasks, in the order in which they are offered.
const std::vector<TaskKind>& taskKinds();
std::vector<std::string> taskNames();
/// Throws Error(InvalidInput) with a suggestion.
const TaskKind& taskKind(const std::string& id);

/// Whether one output tells two classes apart: trained with a hinge loss, score > 0 is the second class (variants.md S11).
bool isBinaryHinge(const RunSpec& spec);
/// Classes that a classifier's outputs tell apart: the stated dims.classes, or two of isBinaryHinge(); nothing where the data
/// decide.
std::optional<std::int64_t> classesOfOutputs(const RunSpec& spec);

/// Outputs of a classifier whose data have so many classes.
std::int64_t outputsFor(const RunSpec& spec, std::int64_t classes);

/// Whether a metric needs translations that the model decodes freely.
bool isDecodedMetric(const std::string& metric);

/// Throws Error(InvalidInput) where this variant cannot do the run's task: topology or head do not fit, naming the nearest that
/// does.
void throwIfNotTrainable(const RunSpec& spec);

}  // namespace heddle
