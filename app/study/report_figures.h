// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/study/report.h"

#include <string>
#include <vector>

namespace heddle::app {

/// A figure of a report: an SVG document of its own, with a white background and a description.
struct ReportFigure {
    std::string file;     ///< "differences.svg"
    std::string title;    ///< "Differences from base"
    std::string caption;  ///< what is drawn, and what the bars and bands are
    std::string svg;
};

/// The differences with their intervals; the values by seed, pairs joined; mean curves and their differences; the trials by
/// what they set. Those for which there are data.
std::vector<ReportFigure> reportFigures(const StudyReport& report);

}  // namespace heddle::app
