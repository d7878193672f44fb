// SPDX-License-Identifier: Apache-2.0
#include "engine/model/verify.h"

#include "engine/model/verify/checks.h"
#include "engine/spec/error.h"
#include "engine/spec/field_schema.h"

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
                                                            {"positional_encodings", verify::verifyPositions},
                                                            {"bleu", verify::verifyBleu},
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

}  // namespace

std::vector<VerifyCheck> verifyGolden(const Json& golden, const std::string& only) {
    if (!golden.is_object()) throwInvalid("a golden file is a JSON object of cases", "golden file", "give another file");
    const std::string onlyCase = only.substr(0, only.find('/'));
    std::vector<VerifyCheck> checks;
    std::vector<std::string> names;
    for (const auto& [name, value] : golden.items()) {
        if (name.starts_with("_")) continue;
        names.push_back(name);
        if (only.empty() || name == onlyCase) verifyCase(name, value, checks);
    }
    if (only.find('/') != std::string::npos)
        std::erase_if(checks, [&](const VerifyCheck& check) { return check.name != only; });
    if (checks.empty() && !only.empty())
        throwInvalid("no check is named \"" + only + "\"", "only", suggestion(onlyCase, names));
    return checks;
}

}  // namespace heddle
