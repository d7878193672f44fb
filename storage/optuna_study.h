// SPDX-License-Identifier: Apache-2.0
// Writes a study as the tables that Optuna's RDB storage has in SQLite (optuna/storages/_rdb/models.py, schema 12 of Optuna 3.2
// to 5.0). Storage writes rows and does not know what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::storage {

struct OptunaParameter {
    std::string name;
    double value = 0;          ///< of a categorical one the index of its choice
    std::string distribution;  ///< JSON, as optuna.distributions.distribution_to_json() writes it
};

using OptunaAttributes = std::vector<std::pair<std::string, std::string>>;  ///< name, JSON; names differ

struct OptunaTrial {
    std::string state;                                           ///< of optuna.trial.TrialState: "COMPLETE"
    std::optional<double> started, completed;                    ///< Unix time
    std::optional<double> value;                                 ///< not NaN
    std::vector<OptunaParameter> parameters;                     ///< names differ
    std::vector<std::pair<std::int64_t, double>> intermediates;  ///< by step; steps differ
    OptunaAttributes attributes;                                 ///< of the user
};

struct OptunaStudy {
    std::string name;
    bool isMaximized = false;
    std::string metric;  ///< the name of the value
    OptunaAttributes attributes;
    std::vector<OptunaTrial> trials;  ///< in the order of their numbers
};

/// Creates the file, which must not be there, in one transaction. Throws StorageError.
void writeOptunaStudy(const std::string& file, const OptunaStudy& study);

}  // namespace heddle::storage
