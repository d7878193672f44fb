// SPDX-License-Identifier: GPL-3.0-or-later
// The run table of the Compare page: title, rows, empty state. Rearranges on a pool thread whenever its runs or options change.
#pragma once

#include "ui/data/refresh.h"
#include "ui/pages/compare/run_table_model.h"
#include "ui/text/problem.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTreeView;

namespace heddle::ui {

class ColumnFit;
class PanelTitle;

class RunTablePanel : public QWidget {
    Q_OBJECT

public:
    explicit RunTablePanel(QWidget* parent = nullptr);

    void setTable(std::shared_ptr<const RunTable> table);
    const std::shared_ptr<const RunTable>& table() const { return table_; }
    const ArrangeOptions& options() const { return options_; }
    void setFilter(const QString& filter);
    /// What is wrong with the filter, while the rows of the last correct filter are shown.
    const std::optional<FilterError>& filterError() const { return error_; }
    void setGrouping(Grouping grouping);
    /// The group whose values the others are put beside.
    void setBaseline(const std::string& group);
    void setColumns(const std::vector<Column>& columns);
    void setSort(int column, Qt::SortOrder order);

    RunTableModel& model() { return *model_; }
    QTreeView& view() { return *view_; }
    PanelTitle& title() { return *title_; }
    /// The selected runs, with those of selected variants.
    std::vector<RunPointer> selectedRuns() const;
    RunPointer currentRun() const;
    std::string currentGroup() const;
    /// The name of a run's group, as the table writes it; the run's own while the group is not in the table.
    QString nameOfGroup(const RunPointer& run) const;
    /// Ticks the selected runs, or removes their ticks if all have one.
    void toggleTicks();
    bool isSettled() const { return refresh_.isIdle(); }
    ColumnFit& columns() { return *fit_; }
    /// Sets what is shown while there is no run at all; the panel takes ownership.
    void setWhereNoRuns(QWidget* card);

Q_SIGNALS:
    void arranged();
    /// The runs could not be arranged: the rows stay as they were.
    void failed(const heddle::ui::Problem& problem);
    void activated(const heddle::ui::RunPointer& run);
    void selectionChanged();

private:
    void connectView();
    void start();
    void take(std::shared_ptr<const Arrangement> arrangement);
    void describe();
    struct Kept {
        std::set<std::string> expanded;
        RunRef current;  ///< a run, or the row of a variant:
        std::string currentGroup;
        std::vector<RunRef> selected;
        int scroll = 0;
    };
    Kept keep() const;
    void restore(const Kept& kept);

    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    ArrangeOptions options_;
    std::optional<FilterError> error_;
    RunTableModel* model_;
    QTreeView* view_;
    PanelTitle* title_;
    QLabel* noFit_;  ///< instead of rows, while no run fits the filter
    QWidget* noRuns_ = nullptr;
    QStackedLayout* stack_;
    ColumnFit* fit_;
    Refresh refresh_;
    bool unfolded_ = false;
};

}  // namespace heddle::ui
