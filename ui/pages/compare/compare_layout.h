// SPDX-License-Identifier: GPL-3.0-or-later
// How Compare is set up, as a file that can be sent to others: columns, order, filter, grouping, metric, rule of value, panels.
#pragma once

#include "engine/base/json_fwd.h"

#include <QAction>
#include <QObject>

namespace heddle::ui {

class Page;
class RunTableView;
class StudyComparer;
class Studio;

class CompareLayout : public QObject {
    Q_OBJECT

public:
    /// All must outlive this object, which the page owns.
    CompareLayout(Page& page, Studio& studio, RunTableView& table, StudyComparer& comparer);

    /// Save and open, for a menu.
    QList<QAction*> actions() const { return {save_, open_}; }
    void saveAs(const QString& file) const;
    /// A file that is no layout of Compare changes nothing; a message says what is wrong.
    void open(const QString& file);

private:
    /// {"schema":"heddle.layout/1","page":"compare",…}
    Json toJson() const;
    /// Throws Error(InvalidInput) before anything is changed.
    void apply(const Json& layout, const std::string& where);

    Page& page_;
    Studio& studio_;
    RunTableView& table_;
    StudyComparer& comparer_;
    QAction *save_, *open_;
};

}  // namespace heddle::ui
