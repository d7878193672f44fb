// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/run_table_view.h"

#include "ui/data/studio.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/interval_delegate.h"
#include "ui/panels/table/variant_delegate.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/mark_delegate.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QStackedLayout>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::int64_t kUnfoldUpTo = 12;  ///< runs: so few are shown without a click
const QString kColumns = QStringLiteral("columns"), kGrouping = QStringLiteral("grouping"), kSort = QStringLiteral("sort"),
              kOrder = QStringLiteral("descending"), kWidths = QStringLiteral("dragged");

int placeOf(const std::vector<Column>& columns, Column::Kind kind) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.kind == kind; });
    return int(found - columns.begin());
}

/// Widths by the ids of their columns. Older versions named the columns of the Library by their places.
QVariantMap widthsById(const QVariantMap& stored, const std::vector<Column>& columns) {
    QVariantMap widths;
    for (const auto& [name, width] : stored.asKeyValueRange()) {
        bool isPlace = false;
        const auto place = std::size_t(name.toUInt(&isPlace));
        if (!isPlace)
            widths[name] = width;
        else if (place < columns.size())
            widths[columns[place].id()] = width;
    }
    return widths;
}

}  // namespace

RunTableView::RunTableView(Studio& studio, TableUse use, const std::vector<Column>& columns, QWidget* parent)
    : QWidget(parent),
      reader_(studio.databases(), use == TableUse::Compare ? RunTableReader::Scope::Open : RunTableReader::Scope::Current,
              this),
      model_(new RunTableModel(studio, this)),
      view_(new QTreeView(this)),
      filter_(new FilterLine(this)),
      title_(new PanelTitle(tr("Runs by group"), this)),
      problemRow_(new QWidget(this)),
      problem_(new QLabel(problemRow_)),
      empty_(new EmptyState(this)),
      suggestion_(new QPushButton(problemRow_)),
      column_(makeColumn(this)),
      stack_(new QStackedLayout) {
    options_.columns = columns;
    options_.use = use;
    options_.grouping = use == TableUse::Compare ? Grouping::Settings : Grouping::None;
    buildProblemRow();
    column_->addWidget(problemRow_);
    column_->addWidget(title_);
    title_->setVisible(use == TableUse::Compare);
    column_->addLayout(stack_, 1);
    stack_->addWidget(view_);
    stack_->addWidget(empty_);
    buildView();
    connectView();
    // Not a change of the model, which would set back what is typed in a cell.
    const auto paint = [this] { view_->viewport()->update(); };
    connect(&studio.colours(), &VariantColours::changed, this, paint);
    connect(&studio.verbs(), &PendingVerbs::changed, this, paint);
    describe();
}

/// What is wrong with the filter, in a line of its own above the rows.
void RunTableView::buildProblemRow() {
    problem_->setTextFormat(Qt::PlainText);
    setControlRole(*suggestion_, ControlRole::Small);
    auto* row = new QHBoxLayout(problemRow_);
    row->setContentsMargins(px(8), px(2), px(8), px(2));
    row->addWidget(problem_);
    row->addWidget(suggestion_);
    row->addStretch(1);
    problemRow_->hide();
    const auto recolour = [this] {
        QPalette palette = problem_->palette();
        palette.setColor(QPalette::WindowText, Theme::color(Token::Bad));
        problem_->setPalette(palette);
    };
    recolour();
    connect(&Theme::instance(), &Theme::changed, this, recolour);
    connect(suggestion_, &QPushButton::clicked, this, [this] {
        if (error_) filter_->setText(error_->suggestion);
    });
}

void RunTableView::buildView() {
    const bool isCompare = options_.use == TableUse::Compare;
    auto none = std::make_shared<Arrangement>();
    none->options = options_;  // the header has its columns from the beginning
    model_->setArrangement(std::move(none));
    if (isCompare) view_->setHeader(new IntervalHeader(view_));
    view_->setModel(model_);
    view_->setAccessibleName(isCompare ? tr("Runs by group") : tr("Runs"));
    view_->setFrameShape(QFrame::NoFrame);
    view_->setRootIsDecorated(isCompare);
    view_->setUniformRowHeights(true);
    view_->setAlternatingRowColors(true);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setAllColumnsShowFocus(true);
    view_->setExpandsOnDoubleClick(false);
    const int names = placeOf(options_.columns, Column::Kind::Run);
    view_->setItemDelegate(isCompare ? new IntervalDelegate(view_) : new MarkDelegate(view_));
    setDelegate(names, new VariantDelegate(isCompare ? VariantSample::Line : VariantSample::Marker, view_));
    QHeaderView* header = view_->header();
    header->setResizeContentsPrecision(0);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    if (isCompare) header->setFirstSectionMovable(false);
    const auto limits = [this, names, isCompare](int place) {
        const QString title = model_->headerData(place, Qt::Horizontal, Qt::DisplayRole).toString();
        const bool areChips =
            !isCompare && model_->arrangement()->options.columns[std::size_t(place)].kind == Column::Kind::Tags;
        const int least = px(place != names ? 44 : isCompare ? 220 : 180);
        const int words = textWidth(title, strongFont(Type::Body)) + px(place == options_.sortColumn ? 28 : 14);
        return ColumnFit::Limits{std::max(words, least), px(areChips ? 150 : 340)};
    };
    const auto id = [this](int place) { return model_->arrangement()->options.columns[std::size_t(place)].id(); };
    fit_ = new ColumnFit(*view_, {names, id, limits});
}

void RunTableView::setDelegate(int column, QStyledItemDelegate* delegate) {
    view_->setItemDelegateForColumn(column, delegate);
    const auto catchUp = [this] {
        if (isDue_) arrangeAnew();
    };
    connect(delegate, &QStyledItemDelegate::closeEditor, this, catchUp, Qt::QueuedConnection);
}

void RunTableView::connectView() {
    connect(&reader_, &RunTableReader::changed, this, [this] { setTable(reader_.table()); });
    connect(&reader_, &RunTableReader::restarted, this, [this] { setTable(reader_.table()); });
    connect(&reader_, &RunTableReader::failed, this, &RunTableView::failed);
    connect(filter_, &QLineEdit::textChanged, this,
            [this](const QString& text) { change([&](ArrangeOptions& options) { options.filter = text; }); });
    connect(filter_, &QLineEdit::returnPressed, this, [this] { view_->setFocus(Qt::ShortcutFocusReason); });
    connect(view_->header(), &QHeaderView::sortIndicatorChanged, this, &RunTableView::setSort);
    connect(view_, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const auto runs = model_->runsAt(index); runs.size() == 1) return activated(runs.front());
        view_->setExpanded(index.siblingAtColumn(0), !view_->isExpanded(index.siblingAtColumn(0)));
    });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunTableView::selectionChanged);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunTableView::selectionChanged);
}

void RunTableView::setTable(std::shared_ptr<const RunTable> table) {
    table_ = std::move(table);
    filter_->setTable(*table_);
    arrangeAnew();
}

void RunTableView::change(const std::function<void(ArrangeOptions&)>& edit) {
    edit(options_);
    arrangeAnew();
}

void RunTableView::setGrouping(Grouping grouping) {
    title_->setTitle(grouping == Grouping::Settings ? tr("Runs by group") : tr("Runs"));
    if (grouping != options_.grouping) change([&](ArrangeOptions& options) { options.grouping = grouping; });
}

void RunTableView::setBaseline(const std::string& group) {
    if (group != options_.baseline) change([&](ArrangeOptions& options) { options.baseline = group; });
}

void RunTableView::setComparison(std::shared_ptr<const StudyComparison> comparison) {
    change([&](ArrangeOptions& options) { options.comparison = std::move(comparison); });
}

void RunTableView::setColumns(const std::vector<Column>& columns) {
    const Column first{Column::Kind::Run, ""};
    std::vector<Column> whole = columns;
    if (options_.use == TableUse::Compare) {
        std::erase(whole, first);
        whole.insert(whole.begin(), first);
    }
    if (whole == options_.columns) return;
    const Column sorted = options_.columns[std::size_t(options_.sortColumn)];
    const auto found = std::find(whole.begin(), whole.end(), sorted);
    change([&](ArrangeOptions& options) {
        options.sortColumn = found == whole.end() ? 0 : int(found - whole.begin());
        options.columns = std::move(whole);
    });
}

void RunTableView::setSort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= int(options_.columns.size())) return;
    if (column == options_.sortColumn && order == options_.order) return;
    options_.sortColumn = column;
    options_.order = order;
    const bool isEdited = view_->indexWidget(view_->currentIndex()) != nullptr;
    if (isEdited || isDue_ || error_) return arrangeAnew();
    take(sorted(*model_->arrangement(), column, order));
}

/// A wrong filter, perhaps half typed, changes nothing but its message: the last right one stands for it.
void RunTableView::arrangeAnew() {
    isDue_ = view_->indexWidget(view_->currentIndex()) != nullptr;
    if (isDue_) return;  // an editor would lose what is typed
    Arrangement now = arrange(*table_, options_, known_);
    error_ = now.error;
    showFilterError();
    if (error_) {
        ArrangeOptions options = options_;
        options.filter = model_->arrangement()->options.filter;
        now = arrange(*table_, options, known_);
    }
    take(std::move(now));
}

/// Shows the rows of an arrangement. The selection, the open groups and the scroll position stay as they are.
void RunTableView::take(Arrangement arrangement) {
    const Kept kept = keep();
    const bool isReset = model_->setArrangement(std::make_shared<const Arrangement>(std::move(arrangement)));
    view_->setRootIsDecorated(options_.grouping == Grouping::Settings);
    view_->header()->setSortIndicator(options_.sortColumn, options_.order);
    if (isReset) restore(kept);
    fit_->fit(isReset ? ColumnFit::Rows::Others : ColumnFit::Rows::Same);
    describe();
    Q_EMIT arranged();
}

void RunTableView::showFilterError() {
    filter_->setProblem(error_);
    problemRow_->setVisible(error_.has_value());
    if (!error_) return;
    problem_->setText(error_->what);
    suggestion_->setVisible(!error_->suggestion.isEmpty());
    suggestion_->setText(tr("Did you mean “%1”?").arg(error_->suggestion));
}

std::pair<QString, QString> RunTableView::emptyWords() const {
    return {tr("No run fits the filter"),
            tr("%Ln run(s) are hidden. Esc in the filter line shows all.", nullptr, int(model_->arrangement()->of))};
}

void RunTableView::describe() {
    const auto& shown = *model_->arrangement();
    const bool isReading = table_->runs.empty() && table_->deleted.empty() && !reader_.isWhole();
    const bool hasNone = noRuns_ && table_->runs.empty() && !isReading;
    stack_->setCurrentWidget(shown.shown > 0 ? view_ : hasNone ? noRuns_ : empty_);
    const auto& comparison = shown.options.comparison;
    title_->setNote(comparison && !comparison->baseline.empty() ? comparisonNote(*comparison, shown.names)
                                                                : tr("hover a value for n, step and signature"));
    const auto [title, text] = isReading ? std::pair(tr("Reading the runs"), QString()) : emptyWords();
    empty_->setWords(title, text);
}

RunTableView::Kept RunTableView::keep() const {
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

void RunTableView::restore(const Kept& kept) {
    const auto& shown = *model_->arrangement();
    if (!unfolded_ && shown.shown > 0) {
        unfolded_ = true;
        for (int g = 0; g < int(shown.groups.size()) && shown.shown <= kUnfoldUpTo; ++g)
            if (shown.groups[std::size_t(g)].rows.size() > 1) view_->expand(model_->index(g, 0));  // else it says all
    }
    for (const auto& hash : kept.expanded) view_->expand(model_->indexOfGroup(hash));
    QItemSelectionModel& selection = *view_->selectionModel();
    for (const auto& run : kept.selected)
        selection.select(model_->indexOf(run), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QModelIndex current = kept.currentGroup.empty() ? model_->indexOf(kept.current) : model_->indexOfGroup(kept.currentGroup);
    if (!current.isValid()) current = model_->index(0, 0);
    const bool selects = options_.use == TableUse::Manage && kept.selected.empty();
    selection.setCurrentIndex(current, selects ? QItemSelectionModel::SelectCurrent | QItemSelectionModel::Rows
                                               : QItemSelectionModel::SelectionFlags(QItemSelectionModel::NoUpdate));
    view_->verticalScrollBar()->setValue(kept.scroll);
}

QModelIndexList RunTableView::chosenRows() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    const auto place = [](const QModelIndex& index) {  // a group stands before its runs
        const QModelIndex group = index.parent();
        return group.isValid() ? std::pair(group.row(), index.row()) : std::pair(index.row(), -1);
    };
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    const QModelIndex current = view_->currentIndex().siblingAtColumn(0);
    if (rows.isEmpty() && current.isValid() && options_.use == TableUse::Compare) rows << current;
    return rows;
}

std::vector<RunPointer> RunTableView::selectedRuns() const {
    std::vector<RunPointer> runs;
    std::set<RunRef> seen;
    for (const auto& index : chosenRows())
        for (const auto& run : model_->runsAt(index))
            if (seen.insert(run->record.ref).second) runs.push_back(run);
    return runs;
}

RunPointer RunTableView::currentRun() const {
    const auto runs = model_->runsAt(view_->currentIndex());
    if (runs.empty()) return nullptr;
    return *std::max_element(runs.begin(), runs.end(),
                             [](const auto& a, const auto& b) { return a->record.created < b->record.created; });
}

QString RunTableView::nameOfGroup(const RunPointer& run) const {
    const auto& names = model_->arrangement()->names;
    const auto found = names.find(run->record.groupKey);
    if (found != names.end()) return found->second;
    return QString::fromStdString(run->record.name.empty() ? run->record.id : run->record.name);  // the filter hides it
}

std::string RunTableView::currentGroup() const { return model_->keyAt(view_->currentIndex()); }

void RunTableView::toggleTicks() {
    const QModelIndexList rows = chosenRows();
    const bool all = std::all_of(rows.begin(), rows.end(), [](const QModelIndex& index) {
        return index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    });
    if (!rows.isEmpty()) model_->setTicks(rows, !all);
}

void RunTableView::setWhereNoRuns(QWidget* card) {
    stack_->addWidget(noRuns_ = card);
    describe();
}

void RunTableView::saveSession(QSettings& settings) const {
    settings.setValue(kWidths, fit_->dragged());
    if (options_.use == TableUse::Manage) return settings.setValue(kColumns, view_->header()->saveState());
    QStringList columns;
    for (const auto& column : options_.columns) columns << column.id();
    settings.setValue(kColumns, columns);
    settings.setValue(kGrouping, options_.grouping == Grouping::Settings);
    settings.setValue(kSort, options_.sortColumn);
    settings.setValue(kOrder, options_.order == Qt::DescendingOrder);
}

void RunTableView::restoreSession(QSettings& settings) {
    if (options_.use == TableUse::Manage) {
        view_->header()->restoreState(settings.value(kColumns).toByteArray());
    } else {
        std::vector<Column> columns;
        for (const auto& id : settings.value(kColumns).toStringList())
            if (const auto column = Column::fromId(id)) columns.push_back(*column);
        if (!columns.empty()) setColumns(columns);
        setGrouping(settings.value(kGrouping, true).toBool() ? Grouping::Settings : Grouping::None);
        setSort(settings.value(kSort, 0).toInt(),
                settings.value(kOrder, false).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    fit_->setDragged(widthsById(settings.value(kWidths).toMap(), options_.columns));
}

}  // namespace heddle::ui
