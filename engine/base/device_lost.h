// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"

namespace heddle {

/// The GPU has stopped working for this process, which can use it no more; another process can go on from the last checkpoint.
class DeviceLostError : public Error {
public:
    /// `reason`: what the driver says; `where`: what was being done.
    DeviceLostError(const std::string& reason, const std::string& where);
    ~DeviceLostError() override;
};

}  // namespace heddle
