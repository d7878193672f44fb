// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A task of GLUE and the metrics of its score.
struct GlueTask {
    std::string id;                    ///< "mrpc", as in data.format "glue/mrpc"
    std::string title;                 ///< "MRPC"
    std::vector<std::string> metrics;  ///< their mean is the task's score
    std::vector<std::string> parts;    ///< evaluation sets whose means are taken; MNLI has two, the others none
};

/// The nine tasks (Wang et al. 2018, table 1), in the paper's order. The diagnostic set is no part of the average.
const std::vector<GlueTask>& glueTasks();

/// Values by evaluation set: a task's id, or "mnli-m" and "mnli-mm".
using GlueValues = std::map<std::string, std::vector<MetricValue>>;

struct GlueTaskScore {
    std::string task;
    MetricValue score;  ///< "glue/TASK", a share; NaN where something is missing, and what, in its warning
};

struct GlueAverage {
    MetricValue average;  ///< "glue", a share; n: tasks that it was taken over, and a warning that names those that are missing
    std::vector<GlueTaskScore> tasks;  ///< all nine
    std::vector<std::string> missing;  ///< ids of those without a score
};

/// One task's score: the mean of its metrics, and of both halves for MNLI. Throws Error(InvalidInput) for an id that is no
/// task.
GlueTaskScore glueScore(const std::string& task, const GlueValues& values);

/// GLUE's average: the mean of the tasks' scores. Throws Error(InvalidInput) for values of a set that GLUE does not have.
GlueAverage glueAverage(const GlueValues& values);

}  // namespace heddle
