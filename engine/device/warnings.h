// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// From now on drops those warnings of LibTorch on this thread that mean nothing to a user of Heddle. Others go to standard
/// error. A backward pass hands the warnings of its threads to the thread that called it.
void dropHarmlessWarnings();

}  // namespace heddle
