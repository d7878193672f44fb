// SPDX-License-Identifier: Apache-2.0
// A study whose runs are drawn instead of trained: the answer comes from verdictOf(), asked again after each seed as
// `heddle study` asks it.
#pragma once

#include "engine/analysis/study.h"

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// What is true of the runs that are drawn. Values are normal; a value of a seed is shared · (the seed's) + own · (the run's).
struct Truth {
    double shift = 0;            ///< of every variant against the baseline
    double shared = 0, own = 1;  ///< standard deviations
    double ownOfBaseline = 1;
};

/// Seeds are correlated by 0.5; differences of pairs scatter by 1.
inline const Truth kPairs{0, std::sqrt(0.5), std::sqrt(0.5), std::sqrt(0.5)};

inline Truth shifted(Truth truth, double shift) {
    truth.shift = shift;
    return truth;
}

struct Answered {
    StudyVerdict verdict;
    std::size_t runs = 0;  ///< that were drawn for it
};

/// A study of the first row against `variants` others; `changes`: JSON of the other keys of heddle.study/1.
inline Study studyOf(int variants, const std::string& changes) {
    Json document = Json::parse(changes);
    document["schema"] = "heddle.study/1";
    for (int i = 0; i <= variants; ++i)
        document["rows"].push_back({{"name", "v" + std::to_string(i)}, {"spec", Json::object()}});
    return Study::parse(document, "the simulated study");
}

/// Draws the runs that the verdict asks for, of the baseline and of the rows that are open, until it asks for none.
inline Answered answer(const Study& study, const Truth& truth, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::map<std::uint64_t, double> seeds;
    std::map<std::string, StudyValues> known;
    Answered answered{verdictOf(study, known), 0};
    while (!answered.verdict.nextSeeds.empty()) {
        std::set<std::string> trained{study.baseline};
        for (const RowVerdict& row : answered.verdict.rows)
            if (row.decision == Decision::Open) trained.insert(row.name);
        for (const std::uint64_t seed : answered.verdict.nextSeeds) {
            const auto [effect, isNew] = seeds.try_emplace(seed, 0);
            if (isNew) effect->second = truth.shared * normal(random);
            for (const std::string& name : trained) {
                const bool isBaseline = name == study.baseline;
                const double own = (isBaseline ? truth.ownOfBaseline : truth.own) * normal(random);
                if (known[name].values.try_emplace(seed, effect->second + own + (isBaseline ? 0 : truth.shift)).second)
                    ++answered.runs;
            }
        }
        answered.verdict = verdictOf(study, known);
    }
    return answered;
}

}  // namespace heddle
