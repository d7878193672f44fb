// SPDX-License-Identifier: Apache-2.0
#include "engine/base/device_lost.h"

namespace heddle {

DeviceLostError::DeviceLostError(const std::string& reason, const std::string& where)
    : Error(ErrorCode::Failure, "this process has lost its GPU: " + reason, where,
            "resume in another process: heddle resume RUN, or in the studio Settings, Engine host, In a process of its own") {}

DeviceLostError::~DeviceLostError() = default;

}  // namespace heddle
