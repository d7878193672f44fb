// SPDX-License-Identifier: GPL-3.0-or-later
// The center of the Library: filter and views, the runs of the current database, and the actions on the selected runs.
#pragma once

#include "ui/panels/table/run_table_view.h"

class QAction;
class QToolBar;

namespace heddle::ui {

class Segments;

enum class RunColumn { State, Name, Seed, Variant, LastStep, Loss, Accuracy, Bleu, Duration, Size, Created, Tags };

class LibraryRuns : public RunTableView {
    Q_OBJECT

public:
    explicit LibraryRuns(Studio& studio, QWidget* parent = nullptr);

    /// Bytes of the folders of runs.
    void setSizes(const std::map<std::string, qint64>& sizes);
    void setView(RunView view);
    /// Sets what is shown if the database has no runs or none is open.
    void setWordsWithoutRuns(const QString& title, const QString& text);

    /// Adds a small button for `action` below the table.
    void addButton(QAction& action);

    /// Ids of runs in the current database.
    std::vector<std::string> selected() const;
    std::string current() const;
    void edit(RunColumn column);
    /// Selects these runs alone, as soon as the table shows all of them. Takes the filter away, which might hide them; what the
    /// user does in the table before that counts more.
    void choose(const std::vector<heddle::ui::RunRef>& runs);
    /// Saves what RunTableView saves, whether the user has chosen columns, and the columns of tags.
    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    std::pair<QString, QString> emptyWords() const override;

private:
    QWidget* buildHead();
    void chooseDue();
    void countViews();
    void sumUp();
    void showDefaultColumns();
    void openColumnMenu(const QPoint& place);
    /// Puts columns of tags behind those of RunColumn.
    void setTagColumns(const std::vector<Column>& columns);
    std::vector<Column> tagColumns() const;

    Segments* views_;
    QLabel* summary_;
    QToolBar* foot_;
    std::pair<QString, QString> withoutRuns_;
    bool hasChosenColumns_ = false;
    std::vector<RunRef> due_;  ///< of choose(), until the table shows them
};

}  // namespace heddle::ui
