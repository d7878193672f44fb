// SPDX-License-Identifier: Apache-2.0
// What a verdict rests on beside its tests: how its rows were tuned, how large its controls are, and whether the question was
// changed. The command line, the report and the studio say the same.
#pragma once

#include "engine/analysis/study.h"

#include <string>
#include <vector>

namespace heddle::app {

/// {"tuned": bool, "tuning": null or {"seed","metric","rows":[{"row","trials":[{"set","steps","value","diverged","done"}],
/// "chosen","at_edge"}]}, "controls": [{"row","of","match","width","parameters","parameters_of","flops","flops_of","assumed"}],
/// "changes": [{"at","ended","keys","runs"}]}: members of the verdict's document.
Json toldDocument(const Study& study, const StudyVerdict& verdict);

/// The same in sentences. Nothing of a study that is neither tuned nor controlled nor changed.
std::vector<std::string> toldWords(const Study& study, const StudyVerdict& verdict);

}  // namespace heddle::app
