// SPDX-License-Identifier: Apache-2.0
// `heddle runs import` of what another program recorded.
#pragma once

#include "app/cli/context.h"
#include "app/foreign/foreign_runs.h"

#include <string>

namespace heddle::app {

/// Splits "val_loss=valid:loss" into column, split and metric. The split "train" makes a curve of training. Throws Error(Usage)
/// for a text of another form.
GivenMetric givenMetric(const std::string& text);

/// Imports all runs of a file, or none. Throws Error(InvalidInput) for what cannot be read, Error(Usage) for options that do
/// not fit and for a file of which the database has runs already, StorageError for a database that another program owns.
int importForeignFile(const std::string& file, const ForeignOptions& options, const Context& context);

}  // namespace heddle::app
