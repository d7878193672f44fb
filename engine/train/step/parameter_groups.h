// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/spec/choice_words.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// Kinds of parameters that an optimizer treats differently.
enum class ParameterKind {
    Embeddings,  ///< tables of words, positions and patches, and all other parameters below the stacks
    Matrices,    ///< matrices of linear maps in the stacks with at least two rows and columns
    Vectors,     ///< all other parameters of the stacks: biases, gains, gates of one output, tables of scores
    Head         ///< all parameters of the head, except a table that it shares with the embeddings
};
template <>
struct ChoiceWords<ParameterKind> {
    static constexpr ChoiceWord<ParameterKind> kAll[] = {{"embeddings", ParameterKind::Embeddings},
                                                         {"matrices", ParameterKind::Matrices},
                                                         {"vectors", ParameterKind::Vectors},
                                                         {"head", ParameterKind::Head}};
};

/// How one parameter is trained.
struct ParameterSettings {
    std::string path;
    at::Tensor tensor;
    ParameterKind kind = ParameterKind::Vectors;
    double rate = 1;         ///< factor of the schedule's learning rate
    double weightDecay = 0;  ///< its own, train.groups included
    bool isMuons = false;    ///< updated by Muon, else by Adam or AdamW
};

/// Settings of the store's parameters that are not frozen, in the order of the store. The rate is that of the first entry of
/// train.groups that fits, times δ^k with start.layer_decay δ for a parameter k layers below the head (Howard and Ruder 2018,
/// section 3.2), divided by the ratio of a matrix's input width to the base model's (ParameterStore::inputRatio). Throws
/// Error(InvalidInput) where an entry of train.groups fits no parameter.
std::vector<ParameterSettings> parameterSettings(const ParameterStore& parameters, const TrainSpec& spec);

}  // namespace heddle
