// SPDX-License-Identifier: Apache-2.0
#include "app/study/item_differences.h"

#include "app/study/item_outputs.h"
#include "app/study/study_runs.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

namespace heddle::app {
namespace {

/// Tolerance (relative above 1) between a recorded value and the score of the outputs. Both are computed in double precision,
/// but in different orders.
constexpr double kSameScore = 1e-9;

/// Returns whether the metric compares texts with references.
bool isOfTexts(const StudyMetric& metric) { return metric.name == "bleu" || metric.name == "chrf"; }

/// Returns why there are no differences over items, whatever the files contain; empty if there may be some.
std::string whyNoItems(const Study& study) {
    const StudyMetric& metric = study.metric;
    if (!isOfTexts(metric) && metric.name != "accuracy" && metric.name != "f1")
        return fmt::format("{} cannot be computed from outputs; bleu, chrf, accuracy and f1 can", printable(metric.name));
    if (metric.rule.kind == ValueRule::Kind::MeanOfLast)
        return "the value of a run is the mean of several evaluations, and no single model has such outputs";
    return "";
}

/// Returns the value of a part of a signature: "13a" for the key "tok" and the part "tok:13a"; empty if there is no such part.
std::string signaturePart(const std::string& signature, const std::string& key) {
    const std::size_t at = ("|" + signature).find("|" + key + ":");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size() + 1;
    return signature.substr(begin, signature.find('|', begin) - begin);
}

/// The outputs of the runs that count. Each file is read once.
class RunOutputs {
public:
    RunOutputs(const StudyRuns& runs, storage::RunQuery& query) : runs_(runs), query_(query) {}

    /// Returns the difference of a row from the baseline. Throws Error if files are missing or belong to another model.
    TwoLevelDifference difference(const RowVerdict& row, double alpha) {
        const Study& study = runs_.study();
        const SeedValues own = valuesOf(row.name, row.seen), baseline = valuesOf(study.baseline, row.seen);
        const SeedItems ownItems = itemsOf(row.name, own, baseline), baselineItems = itemsOf(study.baseline, baseline, own);
        return twoLevelDifference(measure_ ? measure_->metric : ratioMetric(), ownItems, baselineItems, study.test, alpha);
    }

private:
    /// Returns the items of those seeds of a row that are compared with the seeds of the other row.
    SeedItems itemsOf(const std::string& row, const SeedValues& values, const SeedValues& other) {
        SeedItems items;
        for (const auto& [seed, value] : values)
            if (runs_.study().test == SeedTest::Welch || other.contains(seed)) items.emplace(seed, termsOf(row, seed, value));
        return items;
    }

    /// Returns the values of a row that the verdict uses: those of the first `seen` seeds.
    SeedValues valuesOf(const std::string& row, std::size_t seen) const {
        const auto found = runs_.values().find(row);
        if (found == runs_.values().end()) return {};
        SeedValues values = found->second.values;
        if (found->second.isWhole) return values;
        const std::vector<std::uint64_t> seeds = runs_.study().allSeeds();
        const auto end = seeds.begin() + std::ptrdiff_t(std::min(seen, seeds.size()));
        std::erase_if(values, [&](const auto& one) { return std::find(seeds.begin(), end, one.first) == end; });
        return values;
    }

    const ItemTerms& termsOf(const std::string& row, std::uint64_t seed, double value) {
        const std::pair key(row, seed);
        if (const auto found = terms_.find(key); found != terms_.end()) return found->second;
        const Study& study = runs_.study();
        const std::string path =
            (std::filesystem::path(study.outputs) / (fileNameOf(row, seed) + (isOfTexts(study.metric) ? ".txt" : ".tsv")))
                .string();
        if (!std::filesystem::is_regular_file(path))
            throwInvalid("the file is missing", path, "store the outputs of the run there");
        if (!measure_) measure_ = measureFrom(path);
        ItemTerms terms = measure_->termsOf(path);
        const double score = measure_->metric.score(measure_->metric.sumsOf(terms));
        if (!(std::abs(score - value) <= kSameScore * std::max(1.0, std::abs(value))))
            throwInvalid(fmt::format("the outputs have the {} {}, but the run has {}", study.metric.name, numberText(score),
                                     numberText(value)),
                         path, "store the outputs of the checkpoint that the study's rule names, for the same test set");
        return terms_.emplace(key, std::move(terms)).first->second;
    }

    ItemMeasure measureFrom(const std::string& path) {
        const StudyMetric& metric = runs_.study().metric;
        if (!isOfTexts(metric)) return tableMeasure(metric.name, path);
        const auto& planned = runs_.planned();
        const auto run =
            std::find_if(planned.begin(), planned.end(), [](const PlannedRun& one) { return one.isDone() && one.hasSpec; });
        if (run == planned.end()) throwInvalid("no run tells the file of the references", path, "train a run of the study");
        const DataSpec& data = run->spec.data;
        TextOutputs outputs{metric.split == "test" ? data.test.target : data.valid.target, path};
        for (const auto& one : query_.evaluations(run->id)) {
            if (one.split != metric.recordedSplit() || one.metric != metric.name || one.damaged) continue;
            outputs.items = std::size_t(std::max<std::int64_t>(one.n, 0));
            outputs.options.lowercase = signaturePart(one.signature, "case") == "lc";
            if (const std::string tokenize = signaturePart(one.signature, "tok"); !tokenize.empty())
                outputs.options.tokenize = tokenize;
        }
        return textMeasure(metric.name, outputs);
    }

    const StudyRuns& runs_;
    storage::RunQuery& query_;
    std::optional<ItemMeasure> measure_;
    std::map<std::pair<std::string, std::uint64_t>, ItemTerms> terms_;
};

}  // namespace

std::string fileNameOf(const std::string& row, std::uint64_t seed) {
    constexpr std::size_t kLongestName = 60;
    std::string safe;
    for (const char c : row.substr(0, kLongestName)) {
        const bool stays = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
        safe += stays && !(safe.empty() && c == '.') ? c : '_';
    }
    return fmt::format("{}-{}", safe, seed);
}

std::map<std::string, TwoLevelDifference> itemDifferences(const StudyRuns& runs, const StudyVerdict& verdict,
                                                          storage::RunQuery& query) {
    const Study& study = runs.study();
    std::map<std::string, TwoLevelDifference> all;
    if (study.outputs.empty()) return all;
    const std::string why = whyNoItems(study);
    RunOutputs outputs(runs, query);
    for (const RowVerdict& row : verdict.rows) {
        TwoLevelDifference& one = all[row.name];
        one.test = study.test;
        one.whyNone = why;
        if (!why.empty()) continue;
        if (!row.isLookedAt) {
            one.whyNone = "not all seeds of the look are there";
            continue;
        }
        try {
            one = outputs.difference(row, verdict.level / study.family());
        } catch (const Error& error) {
            one.whyNone = fmt::format("{}: {}", printable(error.where()), error.problem());
        }
    }
    return all;
}

}  // namespace heddle::app
