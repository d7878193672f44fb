// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.h"

#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/device/device.h"
#include "engine/verify/checks.h"

namespace heddle {

namespace {

struct Case {
    void (*run)(const Json& golden, verify::CaseChecks& checks);
    bool usesDevice = true;  ///< false: it computes no tensors
};

/// The cases this version knows; others in the file are reported.
const Case* caseNamed(const std::string& name) {
    static const std::map<std::string, Case> kCases{{"eau", {verify::verifyEau}},
                                                    {"grc", {verify::verifyGrc}},
                                                    {"mha", {verify::verifyAttention}},
                                                    {"encoder_layer_eau_grc", {verify::verifyEncoderLayer}},
                                                    {"decoder_layer_eau_grc", {verify::verifyDecoderLayer}},
                                                    {"gated_score_residual", {verify::verifyGatedScores}},
                                                    {"score_rules", {verify::verifyScoreRules}},
                                                    {"positional_encodings", {verify::verifyPositions}},
                                                    {"bleu", {verify::verifyBleu, false}},
                                                    {"atinuke_repaired", {verify::verifyAtinuke}},
                                                    {"losses", {verify::verifyLosses}},
                                                    {"schedules", {verify::verifySchedules, false}},
                                                    {"bleu_charpos", {verify::verifyCharpos, false}},
                                                    {"starsaber_layer", {verify::verifyStarLayer}},
                                                    {"starsaber_stack", {verify::verifyStarStack}},
                                                    {"starsaber_fixed_point", {verify::verifyStarFixedPoint}},
                                                    {"rezero_layer", {verify::verifyReZeroLayer}},
                                                    {"sea", {verify::verifySea}},
                                                    {"unit_counts", {verify::verifyUnitCounts, false}},
                                                    {"counts", {verify::verifyCounts, false}}};
    const auto found = kCases.find(name);
    return found == kCases.end() ? nullptr : &found->second;
}

void verifyCase(const std::string& name, const Json& golden, verify::CaseChecks caseChecks) {
    const Case* const known = caseNamed(name);
    if (!known) return caseChecks.reportUnknown("");
    try {
        known->run(golden, caseChecks);
    } catch (const Json::exception& e) {
        throwInvalid(std::string("invalid case: not in the format of golden.json: ") + e.what(), name,
                     "compare it with the specification's file");
    }
}

/// Runs every case on the CPU. isWanted(name) returns whether the check of that name is requested.
template <class F>
void runOnCpu(const VerifyRequest& request, F&& isWanted, std::vector<VerifyCheck>& checks) {
    for (const auto& [name, value] : request.golden.items())
        if (!name.starts_with("_") && isWanted(name)) verifyCase(name, value, {name, checks});
}

/// On a device: the cases that compute on one, and the training pass of every preset compared with the CPU's.
template <class F>
void runOnDevice(const VerifyRequest& request, F&& isWanted, std::vector<VerifyCheck>& checks) {
    const at::Device device = chooseDevice(request.device);
    for (const auto& [name, value] : request.golden.items()) {
        const Case* const known = caseNamed(name);
        if (known && known->usesDevice && isWanted(name))
            verifyCase(name, value, {request.device + "/" + name, checks, device});
    }
    if (!request.isBeyondCases || !isWanted("presets")) return;
    verify::CaseChecks caseChecks(request.device + "/presets", checks);
    verify::checkTrainingPathOn(device, caseChecks);
}

}  // namespace

std::vector<VerifyCheck> runChecks(const VerifyRequest& request, const std::vector<verify::Property>& properties) {
    if (!request.golden.is_object())
        throwInvalid("a golden file must be a JSON object of cases", "golden file", "use another file");
    const std::string onlyCase = request.only.substr(0, request.only.find('/'));
    std::vector<VerifyCheck> checks;
    std::vector<std::string> names;
    const auto isWanted = [&](const std::string& name) {
        names.push_back(name);
        return request.only.empty() || name == onlyCase;
    };
    configureComputeThread({0, true});  // as training does: float32 is not computed by TF32
    if (!request.device.empty()) {
        runOnDevice(request, isWanted, checks);
    } else {
        runOnCpu(request, isWanted, checks);
        for (const verify::Property& property : properties) {
            if (!request.isBeyondCases || !isWanted(property.name)) continue;
            verify::CaseChecks caseChecks(property.name, checks);
            property.run(caseChecks);
        }
    }
    if (request.only.find('/') != std::string::npos) {
        const std::string onlyCheck = request.device.empty() ? request.only : request.device + "/" + request.only;
        std::erase_if(checks, [&](const VerifyCheck& check) { return check.name != onlyCheck; });
    }
    if (checks.empty() && !request.only.empty())
        throwInvalid("unknown check \"" + request.only + "\"", "only", suggestion(onlyCase, names));
    return checks;
}

}  // namespace heddle
