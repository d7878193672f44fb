// SPDX-License-Identifier: GPL-3.0-or-later
// A run table: it reads the runs of the open databases, arranges them whenever they or its options change, and keeps the
// filter, the selection, the open groups, the scroll position and the widths of the columns.
#pragma once

#include "ui/data/run_table_reader.h"
#include "ui/panels/table/run_table_model.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSettings;
class QStackedLayout;
class QStyledItemDelegate;
class QTreeView;
class QVBoxLayout;

namespace heddle::ui {

class ColumnFit;
class EmptyState;
class FilterLine;
class PanelTitle;

class RunTableView : public QWidget {
    Q_OBJECT

public:
    /// Compare: the runs of all open databases, by group; the first column is that of groups and runs. Manage: those of the
    /// current database, in these columns.
    RunTableView(Studio& studio, TableUse use, const std::vector<Column>& columns, QWidget* parent);

    /// Reads only while active.
    RunTableReader& reader() { return reader_; }
    /// Shows these runs until the reader has others.
    void setTable(std::shared_ptr<const RunTable> table);
    const std::shared_ptr<const RunTable>& table() const { return table_; }
    const ArrangeOptions& options() const { return options_; }
    /// The field of the filter. A page puts it where it belongs.
    FilterLine& filter() { return *filter_; }
    /// What is wrong with the filter, while the rows that fit the last correct one are shown.
    const std::optional<FilterError>& filterError() const { return error_; }
    void setGrouping(Grouping grouping);
    /// The group whose values the others are put beside.
    void setBaseline(const std::string& group);
    /// Fills the columns of values, differences and verdicts.
    void setComparison(std::shared_ptr<const StudyComparison> comparison);
    /// Compare: the first column stays that of groups and runs.
    void setColumns(const std::vector<Column>& columns);
    void setSort(int column, Qt::SortOrder order);

    RunTableModel& model() const { return *model_; }
    QTreeView& view() { return *view_; }
    ColumnFit& columns() { return *fit_; }
    /// The selected runs, in the order of the rows, with those of selected groups. Compare: of the current row if none is.
    std::vector<RunPointer> selectedRuns() const;
    RunPointer currentRun() const;
    std::string currentGroup() const;
    /// The name of a run's group, as the table writes it; the run's own while the group is not in the table.
    QString nameOfGroup(const RunPointer& run) const;
    /// Ticks the selected runs, or removes their ticks if all have one.
    void toggleTicks();
    bool isSettled() const { return reader_.isIdle(); }
    /// Sets what is shown while there is no run at all. The panel takes ownership.
    void setWhereNoRuns(QWidget* card);

    /// Columns, grouping, order and widths, in the group of settings that is open.
    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

Q_SIGNALS:
    void arranged();
    /// Runs could not be read: the rows stay as they were.
    void failed(const heddle::ui::Problem& problem);
    void activated(const heddle::ui::RunPointer& run);
    void selectionChanged();

protected:
    /// Arranges anew with other options.
    void change(const std::function<void(ArrangeOptions&)>& edit);
    QVBoxLayout& column() { return *column_; }
    /// A title and a text in place of the rows, while there are none.
    virtual std::pair<QString, QString> emptyWords() const;
    void describe();
    void setDelegate(int column, QStyledItemDelegate* delegate);

private:
    void buildView();
    void buildProblemRow();
    void connectView();
    void arrangeAnew();
    void take(Arrangement arrangement);
    void showFilterError();
    QModelIndexList chosenRows() const;
    struct Kept {
        std::set<std::string> expanded;
        RunRef current;  ///< a run, or the row of a group:
        std::string currentGroup;
        std::vector<RunRef> selected;
        int scroll = 0;
    };
    Kept keep() const;
    void restore(const Kept& kept);

    RunTableReader reader_;
    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    ArrangeOptions options_;
    KnownGroups known_;
    std::optional<FilterError> error_;
    RunTableModel* model_;
    QTreeView* view_;
    FilterLine* filter_;
    PanelTitle* title_;
    QWidget* problemRow_;
    QLabel* problem_;
    EmptyState* empty_;
    QPushButton* suggestion_;
    QWidget* noRuns_ = nullptr;
    QVBoxLayout* column_;
    QStackedLayout* stack_;
    ColumnFit* fit_;
    bool unfolded_ = false;
    bool isDue_ = false;  ///< to be arranged when the cell is edited that is open now
};

}  // namespace heddle::ui
