// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle::app {

/// To be called once, at the beginning of main: a write beyond the limit on file sizes (ulimit -f) fails with EFBIG, which is
/// reported like a full disk, and does not kill the process (SIGXFSZ).
void ignoreFileSizeSignal();

}  // namespace heddle::app
