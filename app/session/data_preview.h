// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle::app {

/// What `heddle data inspect` says of these files, for people. Callable on any thread; throws Error("stopped") when
/// `stopRequested` says so, and the errors of inspectFiles().
std::string previewData(const std::vector<std::string>& files, const std::function<bool()>& stopRequested);

}  // namespace heddle::app
