// SPDX-License-Identifier: Apache-2.0
// Everything that follows from a draft's document: problems, the resolved model, its cost, and what differs from the baseline.
// Pure functions of plain data: they run on any thread.
#pragma once

#include "engine/spec/cost.h"
#include "engine/spec/diff.h"
#include "engine/spec/module_path.h"
#include "engine/spec/variant_spec.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// Sizes to count with where the variant leaves them to the data.
struct AssumedVocabulary {
    std::int64_t source = 5893, target = 7853;  // Multi30K as in the EAU/GRC paper
    std::int64_t classes = 0;                   ///< 0: two
    bool operator==(const AssumedVocabulary&) const = default;
};

/// A valid variant and what it costs.
struct DraftFacts {
    VariantSpec spec;
    ResolvedVariant variant;  ///< with vocabulary sizes, assumed ones if need be
    Json tree;                ///< resolved tree, as diffs read it
    Cost cost;
    std::map<std::string, ModuleCost> modules;   ///< the cost's modules by path
    std::map<std::string, BlockContext> places;  ///< what the formulas of each module's block may depend on
    std::string hash;                            ///< of the variant
    double flops = 0;                            ///< forward, one source and one target token
    bool sourceAssumed = false, targetAssumed = false;
};
using Facts = std::shared_ptr<const DraftFacts>;

/// One row of the list of differences; layers with the same difference are one row.
struct DraftDifference {
    std::string path;  ///< "encoder.layers.*.self.adjuster.kind"
    Json baseline, now;
    std::string example;  ///< one full path of the row
};

struct DraftEvaluation {
    std::vector<Problem> problems;
    Facts facts;  ///< null when the variant is invalid
    std::vector<DraftDifference> differences;
    std::set<std::string> differing;  ///< module paths whose block or parameters differ from the baseline
};

/// Reads a run document. `baseline` may be null.
DraftEvaluation evaluateDraft(const Json& document, const AssumedVocabulary& assumed, const Facts& baseline);
/// The facts of a valid variant; null when it is invalid.
Facts factsOf(const Json& document, const AssumedVocabulary& assumed);

/// The number of layers of a document, 6 a stack where none is stated, found without resolving it: the time of an evaluation
/// grows with it.
std::int64_t layersIn(const Json& document);

/// A module that differs between a run's model and the model that its variant builds today.
struct ModuleDifference {
    std::string path;
    std::optional<BuiltModule> built, now;  ///< absent: that model has no such module
};

/// Compares a run's modules with those that its variant has today. Returns the modules whose block or parameters differ, in
/// model order, and then those that only the run has.
std::vector<ModuleDifference> moduleDifferences(const std::vector<BuiltModule>& built, const DraftFacts& now);

}  // namespace heddle
