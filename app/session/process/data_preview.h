// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// The text of `heddle data inspect` for these files. Callable on any thread; throws Error("stopped") when `stopRequested`
/// returns true, and the errors of inspectFiles().
std::string previewData(const std::vector<std::string>& files, const std::function<bool()>& stopRequested);

}  // namespace heddle::app
