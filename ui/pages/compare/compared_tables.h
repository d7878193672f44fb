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
    void setRuns(const std::vector<RunPointer>& runs, const GroupNames& names);

private:
    struct Compared {
        Differences differences;
        std::size_t runs = 0;
    };
    void take(const Compared& compared);

    Studio& studio_;
    Query<Compared> comparing_;
};

/// What runs came to.
class EndValuesTable : public ValueTable {
    Q_OBJECT

public:
    EndValuesTable(Studio& studio, QWidget* parent);
    void setRuns(const std::vector<RunPointer>& runs);

private:
    struct EndValues {
        std::vector<RunPointer> runs;
        PlotTable table;
        QString warning;
    };
    void take(const EndValues& values);

    Studio& studio_;
    Query<EndValues> comparing_;
};

}  // namespace heddle::ui
