// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// Leaves out, in what LibTorch warns of on this thread from now on, what concerns nobody here; all else goes to standard
/// error. Backward passes hand the warnings of their threads to the thread that called them.
void leaveOutHarmlessWarnings();

}  // namespace heddle
