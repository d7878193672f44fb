// SPDX-License-Identifier: Apache-2.0
// What referees ask of a comparison, answered from the study: the questions of the NeurIPS paper checklist on experiments and
// of the Responsible NLP checklist of ACL Rolling Review, section C. What was not done is said to be not done.
#pragma once

#include "app/study/report.h"

#include <string>
#include <vector>

namespace heddle::app {

struct RefereeAnswer {
    std::string question, answer;
};

struct RefereeList {
    std::string title;
    std::vector<RefereeAnswer> answers;
};

std::vector<RefereeList> refereeAnswers(const StudyReport& report);

}  // namespace heddle::app
