// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

namespace heddle::app {

/// First action of every new owner: records runs that a dead owner left active as interrupted, and removes its unfinished
/// files. Throws storage::StorageError.
void recoverAsOwner(storage::RunStore& store);

}  // namespace heddle::app
