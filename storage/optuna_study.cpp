// SPDX-License-Identifier: Apache-2.0
#include "storage/optuna_study.h"

#include "storage/connection.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <ctime>

namespace heddle::storage {
namespace {

// The statements that Optuna 5.0.0 makes its tables with, through SQLAlchemy 2.1.
constexpr const char* kOptunaTables = R"sql(
CREATE TABLE studies (
    study_id INTEGER NOT NULL, study_name VARCHAR(512) NOT NULL, PRIMARY KEY (study_id));
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE TABLE version_info (
    version_info_id INTEGER NOT NULL, schema_version INTEGER, library_version VARCHAR(256),
    PRIMARY KEY (version_info_id), CHECK (version_info_id=1));
CREATE TABLE study_directions (
    study_direction_id INTEGER NOT NULL, direction VARCHAR(8) NOT NULL, study_id INTEGER NOT NULL, objective INTEGER NOT NULL,
    PRIMARY KEY (study_direction_id), UNIQUE (study_id, objective), FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE study_user_attributes (
    study_user_attribute_id INTEGER NOT NULL, study_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY (study_user_attribute_id), UNIQUE (study_id, "key"), FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE study_system_attributes (
    study_system_attribute_id INTEGER NOT NULL, study_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY (study_system_attribute_id), UNIQUE (study_id, "key"), FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE trials (
    trial_id INTEGER NOT NULL, number INTEGER, study_id INTEGER, state VARCHAR(8) NOT NULL, datetime_start DATETIME,
    datetime_complete DATETIME, PRIMARY KEY (trial_id), FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE INDEX ix_trials_study_id ON trials (study_id);
CREATE TABLE trial_user_attributes (
    trial_user_attribute_id INTEGER NOT NULL, trial_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY (trial_user_attribute_id), UNIQUE (trial_id, "key"), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_system_attributes (
    trial_system_attribute_id INTEGER NOT NULL, trial_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY (trial_system_attribute_id), UNIQUE (trial_id, "key"), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_params (
    param_id INTEGER NOT NULL, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT,
    PRIMARY KEY (param_id), UNIQUE (trial_id, param_name), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_values (
    trial_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL, objective INTEGER NOT NULL, value FLOAT,
    value_type VARCHAR(7) NOT NULL,
    PRIMARY KEY (trial_value_id), UNIQUE (trial_id, objective), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_intermediate_values (
    trial_intermediate_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value FLOAT,
    intermediate_value_type VARCHAR(7) NOT NULL,
    PRIMARY KEY (trial_intermediate_value_id), UNIQUE (trial_id, step), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_heartbeats (
    trial_heartbeat_id INTEGER NOT NULL, trial_id INTEGER NOT NULL, heartbeat DATETIME NOT NULL,
    PRIMARY KEY (trial_heartbeat_id), UNIQUE (trial_id), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO version_info VALUES (1, 12, '5.0.0');
INSERT INTO alembic_version VALUES ('v3.2.0.a');
)sql";

/// Local time without a zone, as Optuna's datetime.now() is: "2026-11-28 09:14:33.152858"; empty: not known.
std::string localTime(const std::optional<double>& unix) {
    constexpr double kMicroseconds = 1e6;
    if (!unix || !std::isfinite(*unix)) return "";
    const auto all = static_cast<std::int64_t>(std::floor(*unix * kMicroseconds));
    const std::time_t seconds = all / 1'000'000;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec, all % 1'000'000);
}

/// Optuna keeps the kind of a number beside it, and no number that is not finite.
const char* typeOf(double value) {
    return std::isnan(value) ? "NAN" : std::isinf(value) ? (value > 0 ? "INF_POS" : "INF_NEG") : "FINITE";
}
double storedNumber(double value) { return std::isfinite(value) ? value : std::nan(""); }  // NaN is bound as NULL

void addTrial(Connection& to, std::int64_t id, const OptunaTrial& trial) {
    to.query("INSERT INTO trials VALUES (?, ?, 1, ?, nullif(?, ''), nullif(?, ''))")
        .with(id, id - 1, trial.state, localTime(trial.started), localTime(trial.completed))
        .run();
    if (trial.value)
        to.query("INSERT INTO trial_values (trial_id, objective, value, value_type) VALUES (?, 0, ?, ?)")
            .with(id, storedNumber(*trial.value), typeOf(*trial.value))
            .run();
    for (const OptunaParameter& parameter : trial.parameters)
        to.query("INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)")
            .with(id, parameter.name, parameter.value, parameter.distribution)
            .run();
    for (const auto& [step, value] : trial.intermediates)
        to.query(
              "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, intermediate_value_type)"
              " VALUES (?, ?, ?, ?)")
            .with(id, step, storedNumber(value), typeOf(value))
            .run();
    for (const auto& [name, json] : trial.attributes)
        to.query("INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES (?, ?, ?)")
            .with(id, name, json)
            .run();
}

void addStudy(Connection& to, const OptunaStudy& study) {
    to.query("INSERT INTO studies VALUES (1, ?)").with(study.name).run();
    to.query("INSERT INTO study_directions VALUES (1, ?, 1, 0)").with(study.isMaximized ? "MAXIMIZE" : "MINIMIZE").run();
    to.query("INSERT INTO study_system_attributes VALUES (1, 1, 'study:metric_names', ?)")
        .with(nlohmann::json::array({study.metric}).dump())
        .run();
    for (const auto& [name, json] : study.attributes)
        to.query("INSERT INTO study_user_attributes (study_id, \"key\", value_json) VALUES (1, ?, ?)").with(name, json).run();
    std::int64_t id = 0;
    for (const OptunaTrial& trial : study.trials) addTrial(to, ++id, trial);
}

}  // namespace

void writeOptunaStudy(const std::string& file, const OptunaStudy& study) {
    Connection connection(file, Connection::Mode::Write);
    connection.guarded([&] {
        connection.execute("BEGIN");
        connection.execute(kOptunaTables);
        addStudy(connection, study);
        connection.execute("COMMIT");
    });
}

}  // namespace heddle::storage
