// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies a run in the window, where several databases may be open.
#pragma once

#include <QString>

#include <compare>
#include <string>
#include <utility>

namespace heddle::ui {

/// A run of an open database.
struct RunRef {
    int database = 0;  ///< number of the database in this window (RunDatabase::number()); 0: none
    std::string id;    ///< the run's id; empty: no run

    RunRef() = default;
    RunRef(int number, std::string run) : database(number), id(std::move(run)) {}

    bool empty() const { return id.empty(); }
    /// "2/0123456789ab", for the roles of models; empty for no run.
    QString key() const { return empty() ? QString() : QStringLiteral("%1/%2").arg(database).arg(QString::fromStdString(id)); }
    /// The run that key() named; no run for other text.
    static RunRef fromKey(const QString& key) {
        const qsizetype slash = key.indexOf(QLatin1Char('/'));
        return slash < 0 ? RunRef() : RunRef(key.left(slash).toInt(), key.mid(slash + 1).toStdString());
    }
    auto operator<=>(const RunRef&) const = default;
};

}  // namespace heddle::ui
