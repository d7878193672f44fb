// SPDX-License-Identifier: GPL-3.0-or-later
// The ticked runs as tables. Their window titles say what is in them.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compare/comparison.h"
#include "ui/pages/compare/value_table.h"
#include "ui/threads/query.h"

namespace heddle::ui {

/// The settings in which runs differ.
class DifferencesTable : public ValueTable {
    Q_OBJECT

public:
    DifferencesTable(Studio& studio, QWidget* parent);
    /// `names`: of the groups, by their keys.
    void setRuns(const std::vector<RunPointer>& runs, const std::map<std::string, QString>& names);

private:
    void take(const Differences& differences);

    Studio& studio_;
    std::size_t runs_ = 0;
    Query<Differences> comparing_;
};

/// What runs came to.
class EndValuesTable : public ValueTable {
    Q_OBJECT

public:
    EndValuesTable(Studio& studio, QWidget* parent);
    void setRuns(const std::vector<RunPointer>& runs);

private:
    void take(const PlotTable& table);

    Studio& studio_;
    std::vector<RunPointer> runs_;
    Query<PlotTable> comparing_;
};

}  // namespace heddle::ui
