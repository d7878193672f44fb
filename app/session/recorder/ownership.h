// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

namespace heddle::app {

/// A new owner of a database calls this before anything else. It records the runs that a dead owner left active as interrupted
/// and removes the files that the dead owner did not finish. Throws storage::StorageError.
void recoverAsOwner(storage::RunStore& store);

}  // namespace heddle::app
