// SPDX-License-Identifier: GPL-3.0-or-later
// The Library's middle: views of runs, a filter, the table, actions. Lines are filtered and sorted on a pool thread.
#pragma once

#include "ui/data/refresh.h"
#include "ui/data/run_database.h"
#include "ui/pages/library/run_list_model.h"
#include "ui/text/problem.h"

#include <QWidget>

#include <unordered_map>

class QAction;
class QLabel;
class QLineEdit;
class QStackedLayout;
class QToolBar;
class QTreeView;

namespace heddle::ui {

class ColumnFit;
class Segments;

class RunPanel : public QWidget {
    Q_OBJECT

public:
    explicit RunPanel(QWidget* parent = nullptr);

    /// Sets the runs of one database; ids below are ids in it.
    void setRuns(const std::vector<Run>& kept, const std::vector<Run>& trashed);
    /// Forgets what is known of runs, before those of another database are set.
    void forget();
    void setSizes(std::map<std::string, qint64> sizes);
    void setScores(std::map<std::string, RunScores> scores);
    void setView(RunView view);
    RunView view() const { return options_.view; }
    /// Sets what is shown instead of rows if the database has no runs or none is open.
    void setEmptyText(const QString& text);

    /// Adds a small button for `action` below the table.
    void addButton(QAction& action);

    RunListModel& model() { return *model_; }
    QTreeView& table() { return *table_; }
    QLineEdit& filter() { return *filter_; }
    std::vector<std::string> selected() const;
    std::string current() const;
    void edit(RunColumn column);
    bool isSettled() const { return refresh_.isIdle(); }
    ColumnFit& columns() { return *fit_; }

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);
    void selectionChanged();
    void activated();
    void viewChanged();

private:
    QWidget* buildHead();
    void buildTable();
    void start();
    void take(std::vector<RunLine> lines);
    void countViews();
    void describe();

    /// A line and the commit that it was made from.
    struct Known {
        std::int64_t rev = -1;
        RunLine line;
    };
    std::unordered_map<std::string, Known> known_;
    std::vector<RunLine> all_;
    std::map<std::string, qint64> sizes_;
    std::map<std::string, RunScores> scores_;
    ListOptions options_;
    RunListModel* model_;
    QTreeView* table_;
    QLineEdit* filter_;
    Segments* views_;
    QLabel *empty_, *summary_;
    QToolBar* foot_;
    QStackedLayout* stack_;
    QString emptyText_;
    ColumnFit* fit_;
    Refresh refresh_;
};

}  // namespace heddle::ui
