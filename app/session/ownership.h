// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

namespace heddle::app {

/// What every new owner of a database does first, before it carries out any request: records as interrupted the runs that a
/// dead owner left in work, and removes the files that it left unfinished. Throws storage::StorageError.
void recoverAsOwner(storage::RunStore& store);

}  // namespace heddle::app
