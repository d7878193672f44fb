// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle::app {

/// Call once at the beginning of main. A write beyond the limit on file sizes (ulimit -f) then fails with EFBIG, reported like
/// a full disk, instead of killing the process (SIGXFSZ).
void ignoreFileSizeSignal();

}  // namespace heddle::app
