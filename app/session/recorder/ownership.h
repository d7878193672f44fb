// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

#include <memory>
#include <string>

namespace heddle::app {

/// Opens a database as its owner. Before anything else it records the runs that a dead owner left active as interrupted and
/// removes the files that the dead owner did not finish. Throws storage::StorageError.
std::unique_ptr<storage::RunStore> openAsOwner(const std::string& file, const storage::RunStore::Options& options);

}  // namespace heddle::app
