// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/train_state.h"

#include "engine/base/error.h"

namespace heddle {

Json TrainState::toJson() const {
    Json document{{"step", step},
                  {"epoch", epoch},
                  {"batch", batch},
                  {"evaluation_due", evaluationDue},
                  {"bleu_due", bleuDue},
                  {"epoch_sums",
                   {{"objective", sums.objective},
                    {"nll", sums.nll},
                    {"correct", sums.correct},
                    {"tokens", sums.labels}}},  // stored under this key from the first version on
                  {"best", orNull(best)},
                  {"best_step", bestStep},
                  {"without_improvement", withoutImprovement}};
    if (reductions > 0 || sinceReduction > 0) document["plateau"] = {{"reductions", reductions}, {"since", sinceReduction}};
    if (seconds > 0) document["seconds"] = seconds;
    if (borderSeconds > 0) document["border_seconds"] = borderSeconds;
    return document;
}

TrainState TrainState::fromJson(const Json& document, const std::string& where) {
    try {
        TrainState state;
        state.step = document.at("step").get<std::int64_t>();
        state.epoch = document.at("epoch").get<std::int64_t>();
        state.batch = document.at("batch").get<std::int64_t>();
        state.evaluationDue = document.at("evaluation_due").get<bool>();
        state.bleuDue = document.at("bleu_due").get<bool>();
        const Json& sums = document.at("epoch_sums");
        state.sums = {sums.at("objective").get<double>(), sums.at("nll").get<double>(), sums.at("correct").get<double>(),
                      sums.at("tokens").get<double>()};
        if (!document.at("best").is_null()) state.best = document.at("best").get<double>();
        state.bestStep = document.at("best_step").get<std::int64_t>();
        state.withoutImprovement = document.at("without_improvement").get<std::int64_t>();
        if (const auto plateau = document.find("plateau"); plateau != document.end()) {
            state.reductions = plateau->at("reductions").get<std::int64_t>();
            state.sinceReduction = plateau->at("since").get<std::int64_t>();
        }
        state.seconds = document.value("seconds", 0.0);
        state.borderSeconds = document.value("border_seconds", 0.0);
        return state;
    } catch (const Json::exception& error) {
        throwInvalid(std::string("invalid training state: ") + error.what(), where, "use another checkpoint");
    }
}

}  // namespace heddle
