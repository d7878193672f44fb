// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/run_panel.h"

#include "ui/pages/library/name_delegate.h"
#include "ui/pages/library/tag_delegate.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/mark_delegate.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {

RunPanel::RunPanel(QWidget* parent)
    : QWidget(parent),
      model_(new RunListModel(this)),
      table_(new QTreeView(this)),
      filter_(new QLineEdit(this)),
      views_(new Segments(QStringList(4), this)),
      empty_(new QLabel(this)),
      summary_(new ElidedLabel(this)),
      foot_(new QToolBar(this)),
      stack_(new QStackedLayout),
      refresh_([this] { start(); }) {
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(buildHead());
    column->addLayout(stack_, 1);
    column->addWidget(foot_);
    foot_->setFixedHeight(px(30));
    foot_->setAccessibleName(tr("What can be done with the chosen runs"));
    summary_->setContentsMargins(px(4), 0, px(8), 0);
    summary_->setMinimumWidth(px(48));
    summary_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    foot_->addWidget(summary_);
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    empty_->setMargin(px(24));
    empty_->setTextFormat(Qt::RichText);
    stack_->addWidget(table_);
    stack_->addWidget(empty_);
    buildTable();
    describe();
}

QWidget* RunPanel::buildHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(px(8), px(5), px(8), px(5));
    row->setSpacing(px(8));
    filter_->setPlaceholderText(tr("Filter runs: name, state, tag, s4, id"));
    filter_->setAccessibleName(tr("Filter runs"));
    filter_->setClearButtonEnabled(true);
    filter_->addAction(themeIcon(Icon::Filter, Token::Text2), QLineEdit::LeadingPosition);
    row->addWidget(filter_, 1);
    views_->setCurrent(int(options_.view));
    row->addWidget(views_);
    summary_->setFont(numberFont(Type::Body));
    summary_->setForegroundRole(QPalette::PlaceholderText);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        options_.words = words;
        refresh_.request();
    });
    connect(filter_, &QLineEdit::returnPressed, this, [this] { table_->setFocus(Qt::ShortcutFocusReason); });
    views_->allowShrinking();
    connect(views_, &Segments::chosen, this, [this](int id) { setView(RunView(id)); });
    return head;
}

void RunPanel::buildTable() {
    table_->setModel(model_);
    table_->setAccessibleName(tr("Runs"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAlternatingRowColors(true);
    table_->setAllColumnsShowFocus(true);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setItemDelegate(new MarkDelegate(table_));
    table_->setItemDelegateForColumn(int(RunColumn::Name), new NameDelegate(table_));
    auto* tags = new TagDelegate(table_);
    table_->setItemDelegateForColumn(int(RunColumn::Tags), tags);
    connect(
        tags, &TagDelegate::editRequested, this, [this] { edit(RunColumn::Tags); }, Qt::QueuedConnection);  // after the click
    QHeaderView* header = table_->header();
    header->setResizeContentsPrecision(0);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicator(int(options_.sorted), options_.order);
    header->moveSection(int(RunColumn::Variant), kRunColumns - 1);  // a hash is the column that is missed least beyond the edge
    fit_ = new ColumnFit(*table_, {int(RunColumn::Name), [](int column) { return QString::number(column); },
                                   [this](int column) {
                                       const QString title =
                                           model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
                                       const int least = textWidth(title, strongFont(Type::Body)) + px(24);
                                       return ColumnFit::Limits{std::max(least, px(column == int(RunColumn::Name) ? 140 : 44)),
                                                                px(column == int(RunColumn::Tags) ? 150 : 320)};
                                   }});
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
        options_.sorted = RunColumn(column);
        options_.order = order;
        refresh_.request();
    });
    connect(table_, &QTreeView::doubleClicked, this, &RunPanel::activated);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        describe();
        Q_EMIT selectionChanged();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunPanel::selectionChanged);
}

void RunPanel::setRuns(const std::vector<Run>& kept, const std::vector<Run>& trashed) {
    all_.clear();
    std::unordered_map<std::string, Known> now;  // of 10,000 runs few change at a time
    for (const auto* runs : {&kept, &trashed})
        for (const auto& run : *runs) {
            const auto before = known_.find(run.id);
            const bool same = before != known_.end() && before->second.rev == run.rev;
            Known& known = now[run.id];
            known = same ? std::move(before->second) : Known{run.rev, lineOf(run)};
            all_.push_back(known.line);
        }
    known_ = std::move(now);
    countViews();
    refresh_.request();
}

void RunPanel::forget() {
    known_.clear();
    sizes_.clear();
    scores_.clear();
}

void RunPanel::setScores(std::map<std::string, RunScores> scores) {
    scores_ = std::move(scores);
    refresh_.request();
}

void RunPanel::setSizes(std::map<std::string, qint64> sizes) {
    sizes_ = std::move(sizes);
    refresh_.request();
}

void RunPanel::setView(RunView view) {
    views_->setCurrent(int(view));
    if (view == options_.view) return;
    options_.view = view;
    refresh_.request();
    Q_EMIT viewChanged();
}

/// Without room it goes behind the bar's extension button.
void RunPanel::addButton(QAction& action) {
    auto* button = new QToolButton(foot_);  // not QToolBar::addAction(): its keys would work while the bar has the focus
    button->setDefaultAction(&action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    setControlRole(*button, ControlRole::Small);
    QAction* place = foot_->addWidget(button);
    const auto follow = [place, &action] { place->setVisible(action.isVisible()); };
    follow();
    connect(&action, &QAction::changed, place, follow);
}

void RunPanel::setEmptyText(const QString& text) {
    emptyText_ = text;
    describe();
}

void RunPanel::countViews() {
    const QStringList words{tr("All %1"), tr("Live %1"), tr("Needs attention %1"), tr("Deleted %1")};
    for (int view = 0; view < int(words.size()); ++view) {
        const auto n =
            std::count_if(all_.begin(), all_.end(), [&](const RunLine& line) { return belongs(line, RunView(view)); });
        QPushButton& button = views_->button(view);
        button.setText(words[view].arg(count(qint64(n))));
        button.setToolTip(button.text());  // elided where the page is narrow
    }
}

void RunPanel::start() {
    inBackground(
        this,
        [lines = all_, sizes = sizes_, scores = scores_, options = options_]() mutable {
            for (auto& line : lines) {
                if (const auto found = sizes.find(line.id); found != sizes.end()) line.bytes = found->second;
                if (const auto found = scores.find(line.id); found != scores.end()) line.scores = found->second;
            }
            return listRuns(std::move(lines), options);
        },
        [this](std::vector<RunLine> lines) {
            take(std::move(lines));
            refresh_.done();
        },
        [this](const Problem& problem) {
            refresh_.done();
            Q_EMIT failed(problem);
        });
}

void RunPanel::take(std::vector<RunLine> lines) {
    const std::string before = current();
    const std::vector<std::string> chosen = selected();
    const int scroll = table_->verticalScrollBar()->value();
    const bool isReset = model_->setLines(std::move(lines));
    if (isReset) {
        for (const auto& run : chosen)
            if (const int row = model_->rowOf(run); row >= 0)
                table_->selectionModel()->select(model_->index(row, 0),
                                                 QItemSelectionModel::Select | QItemSelectionModel::Rows);
        const int row = std::max(0, model_->rowOf(before));
        table_->selectionModel()->setCurrentIndex(
            model_->index(row, 0),
            chosen.empty() ? QItemSelectionModel::SelectCurrent | QItemSelectionModel::Rows : QItemSelectionModel::NoUpdate);
        table_->verticalScrollBar()->setValue(scroll);
    }
    fit_->fit(isReset ? ColumnFit::Rows::Others : ColumnFit::Rows::Same);
    describe();
    Q_EMIT selectionChanged();
}

void RunPanel::describe() {
    const auto chosen = qint64(table_->selectionModel() ? table_->selectionModel()->selectedRows().size() : 0);
    const QString listed = tr("%Ln run(s)", nullptr, model_->rowCount());
    summary_->setText(chosen > 0 ? tr("%1, %2 selected").arg(listed, count(chosen)) : listed);
    stack_->setCurrentIndex(model_->rowCount() > 0 ? 0 : 1);
    if (all_.empty())
        empty_->setText(emptyText_);
    else if (!options_.words.isEmpty())
        empty_->setText(tr("<b>No run fits the filter</b><br>Clear it to see all."));
    else if (options_.view == RunView::Deleted)
        empty_->setText(tr("<b>Nothing was deleted</b><br>Deleted runs stay here whole until they are deleted for good."));
    else
        empty_->setText(tr("<b>No run of this kind</b>"));
}

std::vector<std::string> RunPanel::selected() const {
    std::vector<int> rows;
    for (const auto& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    std::vector<std::string> runs;
    for (const int row : rows) runs.push_back(model_->line(row)->id);
    return runs;
}

std::string RunPanel::current() const {
    const RunLine* line = model_->line(table_->currentIndex().row());
    return line ? line->id : std::string();
}

void RunPanel::edit(RunColumn column) {
    const QModelIndex index = table_->currentIndex().siblingAtColumn(int(column));
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEditable)) return;
    // Not QTreeView::setCurrentIndex: it looks at the keys that are down, and Ctrl of Ctrl+T would take the row out of the
    // selection.
    table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    table_->edit(index);
}

}  // namespace heddle::ui
