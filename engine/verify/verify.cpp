// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.h"

#include "engine/base/error.h"
#include "engine/device/device.h"
#include "engine/spec/field_schema.h"
#include "engine/verify/checks.h"
#include "engine/verify/properties.h"

namespace heddle {

namespace {

using CaseFunction = void (*)(const Json& golden, verify::CaseChecks& checks);

/// The cases this version knows; others in the file are reported.
CaseFunction caseFunction(const std::string& name) {
    static const std::map<std::string, CaseFunction> kCases{{"eau", verify::verifyEau},
                                                            {"grc", verify::verifyGrc},
                                                            {"mha", verify::verifyAttention},
                                                            {"encoder_layer_eau_grc", verify::verifyEncoderLayer},
                                                            {"decoder_layer_eau_grc", verify::verifyDecoderLayer},
                                                            {"gated_score_residual", verify::verifyGatedScores},
                                                            {"score_rules", verify::verifyScoreRules},
                                                            {"positional_encodings", verify::verifyPositions},
                                                            {"bleu", verify::verifyBleu},
                                                            {"atinuke_repaired", verify::verifyAtinuke},
                                                            {"losses", verify::verifyLosses},
                                                            {"schedules", verify::verifySchedules},
                                                            {"bleu_charpos", verify::verifyCharpos},
                                                            {"starsaber_layer", verify::verifyStarLayer},
                                                            {"starsaber_stack", verify::verifyStarStack},
                                                            {"starsaber_fixed_point", verify::verifyStarFixedPoint},
                                                            {"rezero_layer", verify::verifyReZeroLayer},
                                                            {"sea", verify::verifySea},
                                                            {"unit_counts", verify::verifyUnitCounts},
                                                            {"counts", verify::verifyCounts}};
    const auto found = kCases.find(name);
    return found == kCases.end() ? nullptr : found->second;
}

void verifyCase(const std::string& name, const Json& golden, std::vector<VerifyCheck>& checks) {
    verify::CaseChecks caseChecks(name, checks);
    const CaseFunction run = caseFunction(name);
    if (!run) return caseChecks.report("", "not known to this version");
    try {
        run(golden, caseChecks);
    } catch (const Json::exception& e) {
        throwInvalid(std::string("this case is not in the format of golden.json: ") + e.what(), name,
                     "compare it with the specification's file");
    }
}

void runProperty(const verify::Property& property, std::vector<VerifyCheck>& checks) {
    verify::CaseChecks caseChecks(property.name, checks);
    property.run(caseChecks);
}

std::vector<VerifyCheck> runChecksOn(const std::string& device) {
    std::vector<VerifyCheck> checks;
    verify::CaseChecks caseChecks(device, checks);
    verify::checkTrainingPathOn(chooseDevice(device), caseChecks);
    return checks;
}

}  // namespace

std::vector<VerifyCheck> runChecks(const VerifyRequest& request) {
    if (!request.device.empty()) return runChecksOn(request.device);
    const Json& golden = request.golden;
    if (!golden.is_object()) throwInvalid("a golden file is a JSON object of cases", "golden file", "give another file");
    const std::string onlyCase = request.only.substr(0, request.only.find('/'));
    std::vector<VerifyCheck> checks;
    std::vector<std::string> names;
    const auto isWanted = [&](const std::string& name) {
        names.push_back(name);
        return request.only.empty() || name == onlyCase;
    };
    for (const auto& [name, value] : golden.items())
        if (!name.starts_with("_") && isWanted(name)) verifyCase(name, value, checks);
    if (request.withProperties)
        for (const verify::Property& property : verify::properties())
            if (isWanted(property.name)) runProperty(property, checks);
    if (request.only.find('/') != std::string::npos)
        std::erase_if(checks, [&](const VerifyCheck& check) { return check.name != request.only; });
    if (checks.empty() && !request.only.empty())
        throwInvalid("no check is named \"" + request.only + "\"", "only", suggestion(onlyCase, names));
    return checks;
}

}  // namespace heddle
