// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace heddle {

/// A hash over the headers of everything below engine/data, which the program and libheddle_engine.so both compile. They are
/// binary compatible only if it is equal. Computed by the build (packaging/cmake/HeddleIdentity.cmake); hidden, so that every
/// module has its own.
[[gnu::visibility("hidden")]] std::uint64_t engineIdentity();

}  // namespace heddle
