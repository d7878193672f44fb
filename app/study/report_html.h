// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/study/report.h"

#include <string>

namespace heddle::app {

/// The report as one page that needs nothing else: no script, no font or picture from outside; light or dark as the reader
/// prefers, and printable. Every text of the study is escaped.
std::string reportHtml(const StudyReport& report);

}  // namespace heddle::app
