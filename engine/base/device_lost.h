// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"

namespace heddle {

/// This process can no longer use the GPU; another process can continue from the last checkpoint.
class DeviceLostError : public Error {
public:
    /// `reason`: the driver's message; `where`: the operation that failed.
    DeviceLostError(const std::string& reason, const std::string& where);
    ~DeviceLostError() override;
};

}  // namespace heddle
