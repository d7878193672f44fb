// SPDX-License-Identifier: Apache-2.0
#include "engine/base/check.h"

#include "engine/base/error.h"

#include <string>
#include <string_view>

namespace heddle {

void throwFailedCheck(const char* condition, const char* file, int line) {
    constexpr std::string_view kThis = __FILE__;
    constexpr std::string_view kRoot = kThis.substr(0, kThis.size() - std::string_view("engine/base/check.cpp").size());
    std::string_view name = file;
    if (name.starts_with(kRoot)) name.remove_prefix(kRoot.size());
    throw Error(ErrorCode::Failure, std::string("internal check failed: ") + condition,
                std::string(name) + ":" + std::to_string(line), kReportBug);
}

}  // namespace heddle
