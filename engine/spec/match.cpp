// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/match.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_document.h"
#include "engine/spec/variant_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace heddle {
namespace {

constexpr std::int64_t kLargestWidth = 1 << 16, kMostLayers = 64;

double budgetOf(const ResolvedVariant& variant, Budget by) {
    const Cost cost = countCost(variant);
    if (by == Budget::Parameters) return static_cast<double>(cost.parameters);
    double flops = 0;
    for (const ModuleCost& module : cost.modules) flops += module.flopsPerToken;
    return flops;
}

/// The sizes that a match may change.
struct Sizes {
    std::int64_t f, d, extraLayers;
};

class Matcher {
public:
    explicit Matcher(const MatchRequest& request) : request_(request) {
        std::vector<Problem> problems;
        document_ = expandPreset(request.variant, problems);
        const ResolvedVariant variant = resolveVariant(document_, builtinCatalogue(), problems);
        throwIfAny(problems, "variant");
        dims_ = variant.dims;
        for (const std::string& size : request.free)
            if (size != "f" && size != "d" && size != "layers")
                throwInvalid("\"" + size + "\" is not a size that can be varied", "free",
                             suggestion(size, {"f", "d", "layers"}));
    }

    Match find() {
        for (const std::int64_t extra : layerChoices()) {
            const Sizes deeper{dims_.f, dims_.d, extra};
            consider(deeper);
            if (!isFree("d")) {
                tryWidths(deeper);
            } else {
                for (const std::int64_t d : nearWidths(deeper)) tryWidths({dims_.f, d, extra});
            }
        }
        if (budgets_.size() < 2)
            throwInvalid("the free sizes have no effect on this variant", "free", "use another one of f, d, layers");
        return *best_;
    }

private:
    bool isFree(const std::string& size) const { return contains(request_.free, size); }

    std::vector<std::int64_t> layerChoices() const {
        std::vector<std::int64_t> choices{0};
        if (!isFree("layers")) return choices;
        const std::int64_t fewest = std::min(dims_.layersEnc, dims_.layersDec);
        for (std::int64_t extra = 1 - fewest; extra <= std::min(kMostLayers, 2 * fewest + 4); ++extra) choices.push_back(extra);
        return choices;
    }

    Json documentOf(const Sizes& sizes) const {
        Json document = document_;
        Json& dims = document["dims"];
        dims["f"] = sizes.f;
        dims["d"] = sizes.d;
        dims["layers_enc"] = dims_.layersEnc + sizes.extraLayers;
        dims["layers_dec"] = dims_.layersDec + sizes.extraLayers;
        return document;
    }

    /// The budget at these sizes; nothing if they are invalid (an override for a missing layer).
    std::optional<double> budgetAt(const Sizes& sizes) const {
        std::vector<Problem> problems;
        const ResolvedVariant variant = resolveVariant(documentOf(sizes), builtinCatalogue(), problems);
        if (problems.empty()) checkBlocks(variant, builtinCatalogue(), problems);
        if (!problems.empty()) return std::nullopt;
        return budgetOf(variant, request_.by);
    }

    void consider(const Sizes& sizes) {
        const auto budget = budgetAt(sizes);
        if (!budget) return;
        budgets_.insert(*budget);
        const double difference = *budget - request_.target;
        const double change = std::abs(std::log(static_cast<double>(sizes.f) / static_cast<double>(dims_.f))) +
                              std::abs(std::log(static_cast<double>(sizes.d) / static_cast<double>(dims_.d))) +
                              static_cast<double>(std::abs(sizes.extraLayers));
        const std::pair score{std::abs(difference), change};
        if (best_ && score >= bestScore_) return;
        bestScore_ = score;
        best_ = Match{documentOf(sizes), *budget, difference};
    }

    /// The largest multiple of `unit` up to kLargestWidth whose budget is not above the target, and the next one. Budgets grow
    /// with every width.
    template <class At>
    std::vector<std::int64_t> bracket(std::int64_t unit, const At& at) const {
        std::int64_t low = 1, high = kLargestWidth / unit;
        while (low < high) {
            const std::int64_t middle = (low + high + 1) / 2;
            const auto budget = at(middle * unit);
            if (budget && *budget <= request_.target)
                low = middle;
            else
                high = middle - 1;
        }
        return {low * unit, (low + 1) * unit};
    }

    /// The two widths around the target with f fixed; if f is free, also some smaller widths, for which f compensates.
    std::vector<std::int64_t> nearWidths(const Sizes& sizes) const {
        auto widths = bracket(dims_.heads, [&](std::int64_t d) { return budgetAt({sizes.f, d, sizes.extraLayers}); });
        constexpr std::int64_t kMoreWidths = 8;
        if (isFree("f"))
            for (std::int64_t i = 1; i <= kMoreWidths && widths.front() - dims_.heads > 0; ++i)
                widths.insert(widths.begin(), widths.front() - dims_.heads);
        return widths;
    }

    void tryWidths(const Sizes& sizes) {
        if (!isFree("f")) return consider(sizes);
        for (const std::int64_t f : bracket(1, [&](std::int64_t width) {
                 return budgetAt({width, sizes.d, sizes.extraLayers});
             }))
            consider({f, sizes.d, sizes.extraLayers});
    }

    const MatchRequest& request_;
    Json document_;
    Dims dims_;
    std::set<double> budgets_;  ///< all budgets seen; a single one means that the free sizes have no effect
    std::optional<Match> best_;
    std::pair<double, double> bestScore_;
};

}  // namespace

double budgetOf(const VariantSpec& variant, Budget by) { return budgetOf(variant.resolve(), by); }

Match matchBudget(const MatchRequest& request) { return Matcher(request).find(); }

Json controlDocument(const Json& draft, const Json& baseline) {
    Json document = draft;
    document.erase("name");  // of the draft, if it is a clone of a run
    document["variant"] = baseline.value("variant", Json::object());
    return document;
}

/// Counts and FLOPs grow by the same amount with every unit of f.
std::optional<MatchedControl> matchedControl(const Json& control, double wanted, const AssumedVocabulary& assumed, Budget by) {
    const auto factsAt = [&](std::int64_t f) {
        Json document = control;
        applySet(document, "dims.f=" + std::to_string(f));
        return factsOf(document, assumed);
    };
    const auto budgetAt = [&](std::int64_t f) {
        const Facts facts = factsAt(f);
        if (!facts) return 0.0;
        return by == Budget::Parameters ? double(facts->cost.parameters) : facts->flops;
    };
    const double first = budgetAt(1), slope = budgetAt(2) - first;
    if (first <= 0 || slope <= 0) return std::nullopt;
    const double nearest = 1 + std::round((wanted - first) / slope);
    if (!(nearest >= 1 && nearest <= (1 << 20))) return std::nullopt;
    const auto width = std::int64_t(nearest);
    const Facts facts = factsAt(width);
    if (!facts) return std::nullopt;
    MatchedControl found{control, width, facts->cost.parameters};
    applySet(found.document, "dims.f=" + std::to_string(width));
    return found;
}

}  // namespace heddle
