// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/draft_facts.h"

#include "engine/base/error.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>

namespace heddle {
namespace {

const Json& variantOf(const Json& document) {
    static const Json none = Json::object();
    const auto found = document.find("variant");
    return found == document.end() ? none : *found;
}

ResolvedVariant resolveCounted(const VariantSpec& spec, const AssumedVocabulary& assumed, DraftFacts& facts) {
    const ResolvedVariant open = spec.resolve();
    const Dims& stated = open.dims;
    facts.sourceAssumed = stated.vocabSrc == 0;
    facts.targetAssumed = stated.vocabTgt == 0;
    const std::int64_t classes = spec.statedClasses() ? 0 : assumed.classes;
    if (open.topology != Topology::EncoderDecoder) {  // one stack reads and writes one vocabulary
        const std::int64_t words = open.topology == Topology::Decoder ? assumed.target : assumed.source;
        return spec.resolve(facts.sourceAssumed ? words : 0, facts.targetAssumed ? words : 0, classes);
    }
    const std::int64_t target = facts.targetAssumed ? assumed.target : 0;
    try {
        return spec.resolve(facts.sourceAssumed ? assumed.source : 0, target, classes);
    } catch (const Error&) {
        // One table for both sides: two assumed sizes contradict each other, so the target's serves both.
        const std::int64_t shared = facts.targetAssumed ? assumed.target : stated.vocabTgt;
        return spec.resolve(facts.sourceAssumed ? shared : 0, target, classes);
    }
}

Facts makeFacts(const VariantSpec& spec, const AssumedVocabulary& assumed) {
    auto facts = std::make_shared<DraftFacts>();
    facts->variant = resolveCounted(spec, assumed, *facts);
    facts->spec = spec;
    facts->tree = spec.resolvedTree();
    facts->cost = countCost(facts->variant);
    for (const auto& module : facts->cost.modules) {
        facts->modules[module.path] = module;
        facts->flops += module.flopsPerToken;
    }
    forEachBlock(facts->variant, [&](const auto& path, const auto&, const BlockChoice&, const BlockContext& where) {
        facts->places.emplace(path, where);
    });
    facts->hash = spec.hash();
    return facts;
}

/// Problems of everything but the variant. Those between members are found beside an empty variant.
void checkRun(const Json& document, std::vector<Problem>& problems) {
    Json run = document;
    run.erase("variant");
    const auto before = problems.size();
    validate(runSchema(), run, "", problems);
    if (problems.size() > before) return;
    try {
        run["variant"] = Json::object();
        RunSpec::parse(run, builtinCatalogue());
    } catch (const Error& error) {
        std::string where = error.where();
        if (where.starts_with("spec, ")) where.erase(0, 6);
        problems.push_back({where, error.problem(), error.next()});
    }
}

/// "encoder.layers.3.self.norm.eps" → the path with a star, and the layer; -1 without one.
std::pair<std::string, int> starred(const std::string& path) {
    const auto at = path.find(".layers.");
    if (at == std::string::npos) return {path, -1};
    const auto begin = at + 8, end = path.find('.', begin);
    if (end == std::string::npos) return {path, -1};
    return {path.substr(0, begin) + "*" + path.substr(end), std::atoi(path.c_str() + begin)};
}

std::string layerWords(const std::vector<int>& layers, std::size_t all) {
    if (layers.size() == all && all > 1) return "*";
    std::string words;
    for (std::size_t i = 0; i < layers.size();) {
        std::size_t end = i;
        while (end + 1 < layers.size() && layers[end + 1] == layers[end] + 1) ++end;
        words += (words.empty() ? "" : ",") + std::to_string(layers[i]);
        if (end > i) words += "–" + std::to_string(layers[end]);
        i = end + 1;
    }
    return words;
}

void findDifferences(DraftEvaluation& evaluation, const DraftFacts& baseline) {
    const DraftFacts& now = *evaluation.facts;
    struct Row {
        DraftDifference difference;
        std::vector<int> layers;
    };
    std::map<std::string, Row> rows;
    for (const auto& leaf : diffDocuments({baseline.tree, now.tree})) {
        const auto [star, layer] = starred(leaf.path);
        Row& row = rows[star + leaf.values[0].dump() + leaf.values[1].dump()];
        row.difference = {star, leaf.values[0], leaf.values[1], leaf.path};
        if (layer >= 0) row.layers.push_back(layer);
    }
    for (auto& [key, row] : rows) {
        const auto star = row.difference.path.find('*');
        if (star != std::string::npos) {
            const bool encoder = row.difference.path.starts_with("encoder");
            const auto count = [&](const DraftFacts& facts) {
                return encoder ? facts.variant.encoder.size() : facts.variant.decoder.size();
            };
            std::sort(row.layers.begin(), row.layers.end());
            row.difference.path.replace(star, 1, layerWords(row.layers, std::max(count(baseline), count(now))));
        }
        evaluation.differences.push_back(row.difference);
    }
    for (const auto& [path, entry] : now.tree.items()) {
        const auto before = baseline.tree.find(path);
        if (before == baseline.tree.end() || *before != entry) evaluation.differing.insert(path);
    }
}

}  // namespace

DraftEvaluation evaluateDraft(const Json& document, const AssumedVocabulary& assumed, const Facts& baseline) {
    DraftEvaluation evaluation;
    if (!document.is_object()) {
        evaluation.problems.push_back({"", "the document is not an object", "write {\"variant\":{…}}"});
        return evaluation;
    }
    const VariantSpec spec = VariantSpec::parse(variantOf(document), builtinCatalogue(), evaluation.problems);
    if (evaluation.problems.empty()) evaluation.facts = makeFacts(spec, assumed);
    checkRun(document, evaluation.problems);
    if (evaluation.facts && baseline) findDifferences(evaluation, *baseline);
    return evaluation;
}

Facts factsOf(const Json& document, const AssumedVocabulary& assumed) {
    std::vector<Problem> problems;
    const Json run = asRunDocument(document);
    if (!run.is_object()) return nullptr;
    const VariantSpec spec = VariantSpec::parse(variantOf(run), builtinCatalogue(), problems);
    return problems.empty() ? makeFacts(spec, assumed) : nullptr;
}

std::int64_t layersIn(const Json& document) {
    std::int64_t layers = 0;
    for (const char* key : {"layers_enc", "layers_dec"}) {
        const Json::json_pointer at(std::string("/variant/dims/") + key);
        const bool stated = document.is_object() && document.contains(at) && document.at(at).is_number();
        layers += stated ? document.at(at).get<std::int64_t>() : 6;
    }
    return layers;
}

std::vector<ModuleDifference> moduleDifferences(const std::vector<BuiltModule>& built, const DraftFacts& now) {
    std::map<std::string, BuiltModule> left;
    for (const BuiltModule& module : built) left[module.path] = module;
    std::vector<ModuleDifference> differences;
    forEachBlock(now.variant, [&](const auto& path, const auto&, const BlockChoice& choice, const BlockContext&) {
        const auto counted = now.modules.find(path);
        if (counted == now.modules.end()) return;  // not a module
        const BuiltModule module{path, choice.id, counted->second.parameters};
        const auto found = left.find(path);
        if (found == left.end()) {
            // A run that was built before the slot existed has no block there, which is the same as one that does nothing.
            if (!holdsNothing(choice)) differences.push_back({path, std::nullopt, module});
            return;
        }
        if (found->second != module) differences.push_back({path, found->second, module});
        left.erase(found);
    });
    for (const BuiltModule& module : built)
        if (left.contains(module.path)) differences.push_back({module.path, module, std::nullopt});
    return differences;
}

}  // namespace heddle
