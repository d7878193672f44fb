// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/run_table_panel.h"

#include "ui/pages/compare/variant_delegate.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/mark_delegate.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr std::int64_t kUnfoldUpTo = 12;  ///< runs: so few are shown without a click

}  // namespace

RunTablePanel::RunTablePanel(QWidget* parent)
    : QWidget(parent),
      model_(new RunTableModel(this)),
      view_(new QTreeView(this)),
      title_(new PanelTitle(tr("Runs by group"), this)),
      noFit_(new QLabel(this)),
      stack_(new QStackedLayout),
      refresh_([this] { start(); }) {
    options_.columns = defaultColumns();
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(title_);
    column->addLayout(stack_, 1);
    stack_->addWidget(view_);
    stack_->addWidget(noFit_);
    noFit_->setTextFormat(Qt::RichText);
    noFit_->setWordWrap(true);
    noFit_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    noFit_->setContentsMargins(px(24), px(24), px(24), px(24));
    view_->setModel(model_);
    view_->setAccessibleName(tr("Runs by group"));
    view_->setFrameShape(QFrame::NoFrame);
    view_->setUniformRowHeights(true);
    view_->setAlternatingRowColors(true);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setAllColumnsShowFocus(true);
    view_->setExpandsOnDoubleClick(false);
    view_->setItemDelegate(new MarkDelegate(view_));
    view_->setItemDelegateForColumn(0, new VariantDelegate(view_));
    view_->header()->setResizeContentsPrecision(0);
    view_->header()->setSectionsClickable(true);
    view_->header()->setSortIndicatorShown(true);
    view_->header()->setSortIndicator(0, Qt::AscendingOrder);
    view_->header()->setFirstSectionMovable(false);
    const auto columnAt = [this](int place) -> const Column& {
        return model_->arrangement()->options.columns[std::size_t(place)];
    };
    const auto limits = [columnAt](int place) {
        const int title = textWidth(columnAt(place).title(), strongFont(Type::Body)) + px(28);
        return ColumnFit::Limits{std::max(title, px(place == 0 ? 220 : 56)), px(340)};
    };
    fit_ = new ColumnFit(*view_, {0, [columnAt](int place) { return columnAt(place).id(); }, limits});
    connectView();
}

void RunTablePanel::connectView() {
    connect(view_->header(), &QHeaderView::sortIndicatorChanged, this, &RunTablePanel::setSort);
    connect(view_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const auto runs = model_->runsAt(index); runs.size() == 1) return activated(runs.front());
        view_->setExpanded(index.siblingAtColumn(0), !view_->isExpanded(index.siblingAtColumn(0)));
    });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunTablePanel::selectionChanged);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunTablePanel::selectionChanged);
}

void RunTablePanel::setTable(std::shared_ptr<const RunTable> table) {
    table_ = std::move(table);
    refresh_.request();
}

void RunTablePanel::setFilter(const QString& filter) {
    if (filter == options_.filter) return;
    options_.filter = filter;
    refresh_.request();
}

void RunTablePanel::setGrouping(Grouping grouping) {
    if (grouping == options_.grouping) return;
    options_.grouping = grouping;
    title_->setTitle(grouping == Grouping::Settings ? tr("Runs by group") : tr("Runs"));
    refresh_.request();
}

void RunTablePanel::setBaseline(const std::string& group) {
    if (group == options_.baseline) return;
    options_.baseline = group;
    refresh_.request();
}

void RunTablePanel::setColumns(const std::vector<Column>& columns) {
    const Column first{Column::Kind::Run, ""};
    std::vector<Column> whole{first};
    for (const auto& column : columns)
        if (!(column == first)) whole.push_back(column);
    if (whole == options_.columns) return;
    const Column sorted = options_.columns[std::size_t(options_.sortColumn)];
    options_.columns = whole;
    const auto found = std::find(whole.begin(), whole.end(), sorted);
    options_.sortColumn = found == whole.end() ? 0 : int(found - whole.begin());
    refresh_.request();
}

void RunTablePanel::setSort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= int(options_.columns.size())) return;
    if (column == options_.sortColumn && order == options_.order) return;
    options_.sortColumn = column;
    options_.order = order;
    view_->header()->setSortIndicator(column, order);
    refresh_.request();
}

void RunTablePanel::start() {
    inBackground(
        this, [table = table_, options = options_] { return std::make_shared<const Arrangement>(arrange(*table, options)); },
        [this](std::shared_ptr<const Arrangement> arrangement) {
            take(std::move(arrangement));
            refresh_.done();
        },
        [this](const Problem& problem) {
            refresh_.done();
            Q_EMIT failed(problem);
        });
}

void RunTablePanel::take(std::shared_ptr<const Arrangement> arrangement) {
    error_ = arrangement->error;
    if (error_) return arranged();  // half typed: the rows stay as they were
    std::shared_ptr<const Arrangement> old = model_->arrangement();
    const Kept kept = keep();
    const bool isReset = model_->setArrangement(std::move(arrangement));
    const auto& options = model_->arrangement()->options;
    view_->setRootIsDecorated(options.grouping == Grouping::Settings);
    view_->header()->setSortIndicator(options_.sortColumn, options_.order);
    if (isReset) restore(kept);
    fit_->fit(isReset ? ColumnFit::Rows::Others : ColumnFit::Rows::Same);
    describe();
    // Half a million cells take long to free.
    backgroundPool().start([old = std::move(old)]() mutable { old.reset(); });
    Q_EMIT arranged();
}

void RunTablePanel::describe() {
    const auto& shown = *model_->arrangement();
    stack_->setCurrentWidget(shown.shown > 0 ? view_ : noRuns_ && table_->runs.empty() ? noRuns_ : noFit_);
    title_->setNote(shown.options.grouping == Grouping::Settings
                        ? tr("a group's values are means of its seeds; hover for n, step and signature")
                        : tr("hover a value for n, step and signature"));
    noFit_->setText(tr("<b>No run fits the filter</b><br>%Ln run(s) are hidden. Esc in the filter line shows all.", nullptr,
                       int(table_->runs.size())));
}

RunTablePanel::Kept RunTablePanel::keep() const {
    Kept kept;
    const auto& groups = model_->arrangement()->groups;
    for (int g = 0; g < int(groups.size()); ++g)
        if (view_->isExpanded(model_->index(g, 0))) kept.expanded.insert(groups[std::size_t(g)].key);
    const QModelIndex current = view_->currentIndex();
    const bool grouped = model_->arrangement()->options.grouping == Grouping::Settings;
    if (current.isValid() && grouped && !current.parent().isValid())
        kept.currentGroup = model_->keyAt(current);
    else if (current.isValid())
        kept.current = model_->runsAt(current).front()->record.ref;
    for (const auto& index : view_->selectionModel()->selectedRows())
        if (const auto runs = model_->runsAt(index); runs.size() == 1) kept.selected.push_back(runs.front()->record.ref);
    kept.scroll = view_->verticalScrollBar()->value();
    return kept;
}

void RunTablePanel::restore(const Kept& kept) {
    const auto& shown = *model_->arrangement();
    if (!unfolded_ && shown.shown > 0) {
        unfolded_ = true;
        for (int g = 0; g < int(shown.groups.size()) && shown.shown <= kUnfoldUpTo; ++g)
            if (shown.groups[std::size_t(g)].rows.size() > 1) view_->expand(model_->index(g, 0));  // else it says all
    }
    for (const auto& hash : kept.expanded) view_->expand(model_->indexOfGroup(hash));
    for (const auto& run : kept.selected)
        if (const QModelIndex index = model_->indexOf(run); index.isValid())
            view_->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    const QModelIndex current =
        kept.currentGroup.empty() ? model_->indexOf(kept.current) : model_->indexOfGroup(kept.currentGroup);
    if (current.isValid())
        view_->selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    else if (!view_->currentIndex().isValid() && model_->rowCount() > 0)
        view_->selectionModel()->setCurrentIndex(model_->index(0, 0), QItemSelectionModel::NoUpdate);
    view_->verticalScrollBar()->setValue(kept.scroll);
}

std::vector<RunPointer> RunTablePanel::selectedRuns() const {
    std::vector<RunPointer> runs;
    std::set<RunRef> seen;
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    if (rows.isEmpty() && view_->currentIndex().isValid()) rows << view_->currentIndex().siblingAtColumn(0);
    for (const auto& index : rows)
        for (const auto& run : model_->runsAt(index))
            if (seen.insert(run->record.ref).second) runs.push_back(run);
    return runs;
}

RunPointer RunTablePanel::currentRun() const {
    const auto runs = model_->runsAt(view_->currentIndex());
    if (runs.empty()) return nullptr;
    return *std::max_element(runs.begin(), runs.end(),
                             [](const auto& a, const auto& b) { return a->record.created < b->record.created; });
}

QString RunTablePanel::nameOfGroup(const RunPointer& run) const {
    const auto& names = model_->arrangement()->names;
    const auto found = names.find(run->record.groupKey);
    if (found != names.end()) return found->second;
    return QString::fromStdString(run->record.name.empty() ? run->record.id : run->record.name);  // the filter hides it
}

std::string RunTablePanel::currentGroup() const { return model_->keyAt(view_->currentIndex()); }

void RunTablePanel::toggleTicks() {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    if (rows.isEmpty() && view_->currentIndex().isValid()) rows << view_->currentIndex().siblingAtColumn(0);
    const bool all = std::all_of(rows.begin(), rows.end(), [](const QModelIndex& index) {
        return index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    });
    for (const auto& index : rows) model_->setData(index, all ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void RunTablePanel::setWhereNoRuns(QWidget* card) {
    stack_->addWidget(noRuns_ = card);
    describe();
}

}  // namespace heddle::ui
