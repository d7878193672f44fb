// SPDX-License-Identifier: Apache-2.0
// Golden cases of losses, learning rates and the "charpos" score.
#include "engine/device/torch_pch.h"
#include "engine/metrics/charpos.h"
#include "engine/spec/schedules.h"
#include "engine/tasks/loss.h"
#include "engine/tasks/task_loss.h"
#include "engine/verify/checks.h"

#include <regex>

namespace heddle::verify {

namespace {

constexpr std::int64_t kNoClass = -1;  ///< a row that counts nowhere

/// Mean cross-entropy of the rows that count.
at::Tensor meanCrossEntropy(const at::Tensor& logits_NC, const at::Tensor& class_N, double smoothing) {
    const auto rows = class_N.ne(kNoClass).sum().item<double>();
    LossOptions options;
    options.smoothing = smoothing;
    options.scale = 1 / rows;
    options.ignored = kNoClass;
    return crossEntropy(logits_NC, class_N, options).objective;
}

/// The schedule that an output's name describes.
std::optional<std::pair<TrainSpec, std::int64_t>> scheduleOf(const std::string& name) {
    static const std::regex kNoam("noam_d([0-9]+)"), kWarmup("linear_warmup_peak_([0-9]+)_([0-9]+)");
    std::smatch parts;
    TrainSpec spec;
    spec.warmup = 4000;
    if (std::regex_match(name, parts, kNoam)) {
        spec.schedule = ScheduleKind::Noam;
        return std::pair(spec, std::int64_t{std::stoll(parts[1])});
    }
    if (!std::regex_match(name, parts, kWarmup)) return std::nullopt;
    spec.schedule = ScheduleKind::ConstantAfterWarmup;
    spec.lr = std::stod(parts[1].str() + "." + parts[2].str());
    return std::pair(spec, std::int64_t{512});
}

}  // namespace

void verifyLosses(const Json& golden, CaseChecks& checks) {
    const Json& inputs = golden.at("inputs");
    for (const at::TensorOptions& options : checks.types()) {
        const at::Tensor class_N = tensorFromJson(inputs.at("targets"), options).to(at::kLong);
        at::Tensor unmasked_N = class_N.clone();
        unmasked_N[-1] = kNoClass;
        const at::Tensor z_NC = tensorFromJson(inputs.at("logits"), options);
        const at::Tensor sign_N = tensorFromJson(inputs.at("binary_targets"), options);
        checks.compareAll(golden.at("outputs"), {{"ce", meanCrossEntropy(z_NC, class_N, 0)},
                                                 {"label_smoothed_ce", meanCrossEntropy(z_NC, class_N, 0.1)},
                                                 {"masked_ce", meanCrossEntropy(z_NC, unmasked_N, 0)},
                                                 {"hinge_multi_sum", multiHinge(z_NC, class_N, MultiHinge::Sum)},
                                                 {"hinge_multi_max", multiHinge(z_NC, class_N, MultiHinge::Max)},
                                                 {"hinge_binary", binaryHinge(z_NC.select(1, 0), sign_N)}});
    }
    checks.reportRest(golden.at("outputs"));
}

void verifySchedules(const Json& golden, CaseChecks& checks) {
    for (const auto& [name, rates] : golden.at("outputs").items()) {
        const auto schedule = scheduleOf(name);
        if (!schedule) continue;
        // Rates are small: they are compared as ratios.
        for (const auto& [step, rate] : rates.items())
            checks.compareNumber(name + " step " + step, 1,
                                 learningRate(schedule->first, {std::stoll(step), schedule->second}) / rate.get<double>());
        checks.settle(name);
    }
    checks.reportRest(golden.at("outputs"));
}

void verifyCharpos(const Json& golden, CaseChecks& checks) {
    using Words = std::vector<std::string>;
    const Json& outputs = golden.at("outputs");
    const CharposScore score =
        charpos(golden.at("inputs").at("hypothesis").get<Words>(), golden.at("inputs").at("reference").get<Words>());
    const std::pair<const char*, const std::array<std::int64_t, 4>&> lists[] = {{"matches", score.matches},
                                                                                {"totals", score.totals}};
    for (const auto& [name, computed] : lists) {
        if (!outputs.contains(name)) continue;
        const auto expected = outputs.at(name).get<std::vector<std::int64_t>>();
        checks.compareCount(std::string(name) + " orders", static_cast<std::int64_t>(expected.size()), 4);
        for (std::size_t n = 0; n < std::min(expected.size(), computed.size()); ++n)
            checks.compareCount(std::string(name) + " " + std::to_string(n + 1), expected[n], computed[n]);
        checks.settle(name);
    }
    if (outputs.contains("hyp_chars")) checks.compareCount("hyp_chars", outputs.at("hyp_chars"), score.hypothesisCharacters);
    if (outputs.contains("ref_chars")) checks.compareCount("ref_chars", outputs.at("ref_chars"), score.referenceCharacters);
    if (outputs.contains("score")) checks.compareNumber("score", outputs.at("score"), score.score);
    checks.reportRest(outputs);
}

}  // namespace heddle::verify
