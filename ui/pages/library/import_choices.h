// SPDX-License-Identifier: GPL-3.0-or-later
// What the user says about a file of another program: the options of `heddle runs import`, column by column.
#pragma once

#include "app/foreign/foreign_runs.h"
#include "ui/text/problem.h"

#include <QString>
#include <QStringList>

#include <map>
#include <string>

namespace heddle::ui {

/// What a column is taken for. Found: what its name and its values say.
enum class ColumnUse { Found, Run, Seed, Step, Group, Valid, Test, Curve, LeftOut };

/// In the order of ColumnUse.
QStringList namesOfUses();
/// Whether the use needs the name of a metric.
bool takesMetric(ColumnUse use);

struct ColumnChoice {
    ColumnUse use = ColumnUse::Found;
    QString metric;  ///< where takesMetric(); empty: the column's own name
};

struct ImportChoices {
    std::map<std::string, ColumnChoice> columns;  ///< by name; absent: Found
    QString group;                                ///< of all runs, unless a column is taken for the group; empty: none
    bool isPaired = false, restarts = false;      ///< app::ForeignOptions

    ColumnUse useOf(const std::string& column) const;
    /// A file has one column of seeds, of steps and of groups: another one that was chosen for it becomes Found.
    void choose(const std::string& column, ColumnChoice choice);
    app::ForeignOptions options() const;
};

/// Replaces the options of the command line that a problem or a note names by the words of the dialog.
QString inDialogWords(QString words);
Problem inDialogWords(const Problem& problem);

}  // namespace heddle::ui
