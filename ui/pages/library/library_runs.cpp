// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/library_runs.h"

#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/tag_delegate.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

constexpr QLatin1String kHasChosenColumns("chosenColumns"), kTagColumns("tagColumns");

/// In the order of RunColumn.
std::vector<Column> libraryColumns() {
    using K = Column::Kind;
    return {{K::State, ""},
            {K::Run, ""},
            {K::Seed, ""},
            {K::Variant, ""},
            {K::Steps, ""},
            {K::Best, "valid.loss"},
            {K::Best, "valid.accuracy"},
            {K::Best, "test.bleu"},
            {K::Time, ""},
            {K::Size, ""},
            {K::Created, ""},
            {K::Tags, ""}};
}

}  // namespace

LibraryRuns::LibraryRuns(Studio& studio, QWidget* parent)
    : RunTableView(studio, TableUse::Manage, libraryColumns(), parent),
      views_(new Segments(QStringList(4), this)),
      summary_(new ElidedLabel(this)),
      foot_(new QToolBar(this)) {
    column().insertWidget(0, buildHead());
    column().addWidget(foot_);
    foot_->setFixedHeight(px(30));
    foot_->setAccessibleName(tr("Actions on the selected runs"));
    summary_->setFont(numberFont(Type::Body));
    summary_->setForegroundRole(QPalette::PlaceholderText);
    summary_->setContentsMargins(px(4), 0, px(8), 0);
    summary_->setMinimumWidth(px(48));
    summary_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    foot_->addWidget(summary_);
    auto* tags = new TagDelegate(&view());
    setDelegate(int(RunColumn::Tags), tags);
    connect(
        tags, &TagDelegate::editRequested, this, [this] { edit(RunColumn::Tags); }, Qt::QueuedConnection);  // after the click
    view().setTextElideMode(Qt::ElideMiddle);
    QHeaderView* header = view().header();
    header->moveSection(int(RunColumn::Variant), header->count() - 1);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, &LibraryRuns::openColumnMenu);
    showDefaultColumns();
    setSort(int(RunColumn::Created), Qt::DescendingOrder);
    view().installEventFilter(this);
    view().viewport()->installEventFilter(this);
    connect(&filter(), &QLineEdit::textEdited, this, [this] { due_.clear(); });
    connect(this, &RunTableView::selectionChanged, this, &LibraryRuns::sumUp);
    connect(this, &RunTableView::arranged, this, [this] {
        countViews();
        showDefaultColumns();
        chooseDue();
        Q_EMIT selectionChanged();
    });
    countViews();
    sumUp();
}

QWidget* LibraryRuns::buildHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(px(8), px(5), px(8), px(5));
    row->setSpacing(px(8));
    row->addWidget(&filter(), 1);
    row->addWidget(views_);
    views_->allowShrinking();
    connect(views_, &Segments::chosen, this, [this](int id) {
        due_.clear();
        setView(RunView(id));
    });
    return head;
}

void LibraryRuns::setSizes(const std::map<std::string, qint64>& sizes) {
    change([&](ArrangeOptions& options) { options.sizes = sizes; });
}

void LibraryRuns::setView(RunView view) {
    views_->setCurrent(int(view));
    if (view != options().view) change([&](ArrangeOptions& options) { options.view = view; });
}

/// Until the user chooses columns, hides the variant's hash and the size, which the details show, too, and all metrics of the
/// task but one: BLEU where it was measured, else accuracy.
void LibraryRuns::showDefaultColumns() {
    if (hasChosenColumns_) return;
    const auto& metrics = table()->metrics;
    const bool hasBleu = std::find(metrics.begin(), metrics.end(), "test.bleu") != metrics.end();
    bool isChanged = false;
    const auto setHidden = [&](RunColumn column, bool isHidden) {
        isChanged = isChanged || view().isColumnHidden(int(column)) != isHidden;
        view().setColumnHidden(int(column), isHidden);
    };
    for (const RunColumn column : {RunColumn::Variant, RunColumn::Size}) setHidden(column, true);
    setHidden(RunColumn::Accuracy, hasBleu);
    setHidden(RunColumn::Bleu, !hasBleu);
    if (isChanged) columns().fit(ColumnFit::Rows::Same);
}

void LibraryRuns::openColumnMenu(const QPoint& place) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("columnMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [menu](const QString& title, bool isShown) {
        QAction* action = menu->addAction(QString(title).replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(isShown);
        return action;
    };
    for (int column = 0; column < int(libraryColumns().size()); ++column) {
        QAction* action =
            add(model().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), !view().isColumnHidden(column));
        action->setEnabled(RunColumn(column) != RunColumn::Name);
        connect(action, &QAction::toggled, this, [this, column](bool isShown) {
            hasChosenColumns_ = true;
            view().setColumnHidden(column, !isShown);
            columns().fit(ColumnFit::Rows::Others);
        });
    }
    const auto chosen = tagColumns();
    std::set<std::string> tags = tagKeys(*table());
    for (const Column& column : chosen) tags.insert(column.key);  // to be taken away, although no run may have it now
    if (!tags.empty()) menu->addSection(tr("Tags"));
    for (const std::string& tag : tags) {
        const Column column{Column::Kind::Tag, tag};
        QAction* action = add(column.title(), std::find(chosen.begin(), chosen.end(), column) != chosen.end());
        connect(action, &QAction::toggled, this, [this, column](bool isShown) {
            auto shown = tagColumns();
            std::erase(shown, column);
            if (isShown) shown.push_back(column);
            hasChosenColumns_ = true;
            setTagColumns(shown);
        });
    }
    menu->popup(view().header()->mapToGlobal(place));
}

void LibraryRuns::setTagColumns(const std::vector<Column>& columns) {
    std::vector<Column> all = libraryColumns();
    all.insert(all.end(), columns.begin(), columns.end());
    setColumns(all);
}

std::vector<Column> LibraryRuns::tagColumns() const {
    return {options().columns.begin() + std::ptrdiff_t(libraryColumns().size()), options().columns.end()};
}

void LibraryRuns::saveSession(QSettings& settings) const {
    RunTableView::saveSession(settings);
    settings.setValue(kHasChosenColumns, hasChosenColumns_);
    QStringList tags;
    for (const Column& column : tagColumns()) tags << QString::fromStdString(column.key);
    settings.setValue(kTagColumns, tags);
}

void LibraryRuns::restoreSession(QSettings& settings) {
    std::vector<Column> tags;
    for (const QString& tag : settings.value(kTagColumns).toStringList())
        tags.push_back({Column::Kind::Tag, tag.toStdString()});
    setTagColumns(tags);  // the state of the header, which comes next, is of as many columns
    RunTableView::restoreSession(settings);
    hasChosenColumns_ = settings.value(kHasChosenColumns).toBool();
    showDefaultColumns();
}

/// Where there is no room, it is in the menu of the bar's extension button.
void LibraryRuns::addButton(QAction& action) {
    QToolButton* button = ui::addButton(*foot_, &action, Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    setControlRole(*button, ControlRole::Small);
}

void LibraryRuns::setWordsWithoutRuns(const QString& title, const QString& text) {
    withoutRuns_ = {title, text};
    describe();
}

void LibraryRuns::countViews() {
    //: Views of the table with the number of their runs.
    const QStringList words{tr("All %1"), tr("Live %1"), tr("Needs attention %1"), tr("Deleted %1")};
    for (int view = 0; view < int(words.size()); ++view) {
        const auto& runs = RunView(view) == RunView::Deleted ? table()->deleted : table()->runs;
        const auto n =
            std::count_if(runs.begin(), runs.end(), [&](const RunPointer& run) { return belongs(run->record, RunView(view)); });
        QPushButton& button = views_->button(view);
        button.setText(words[view].arg(count(qint64(n))));
        button.setToolTip(button.text());  // elided where the page is narrow
    }
}

void LibraryRuns::sumUp() {
    const auto chosen = qint64(view().selectionModel()->selectedRows().size());
    const auto read = qint64(table()->runs.size());
    if (read < table()->total)
        return summary_->setText(tr("%1 of %Ln run(s) read", nullptr, int(table()->total)).arg(count(read)));
    const QString listed = tr("%Ln run(s)", nullptr, model().rowCount());
    summary_->setText(chosen > 0 ? tr("%1, %2 selected").arg(listed, count(chosen)) : listed);
}

std::pair<QString, QString> LibraryRuns::emptyWords() const {
    if (table()->runs.empty() && table()->deleted.empty()) return withoutRuns_;
    if (!model().arrangement()->options.filter.isEmpty()) return RunTableView::emptyWords();
    if (options().view == RunView::Deleted)
        return {tr("No deleted runs"), tr("Deleted runs keep all of their data until you delete them permanently.")};
    return {tr("No runs in this view"), {}};
}

std::vector<std::string> LibraryRuns::selected() const {
    std::vector<std::string> runs;
    for (const RunPointer& run : selectedRuns()) runs.push_back(run->record.id);
    return runs;
}

std::string LibraryRuns::current() const {
    const RunPointer run = currentRun();
    return run ? run->record.id : std::string();
}

void LibraryRuns::choose(const std::vector<RunRef>& runs) {
    setView(RunView::All);
    filter().clear();
    due_ = runs;
    chooseDue();
}

/// Keys and clicks in the table are the user's own choice.
bool LibraryRuns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress) due_.clear();
    return RunTableView::eventFilter(watched, event);
}

void LibraryRuns::chooseDue() {
    QItemSelection rows;
    for (const RunRef& run : due_) {
        const QModelIndex index = model().indexOf(run);
        if (!index.isValid()) return;
        rows.select(index, index);
    }
    if (rows.isEmpty()) return;
    due_.clear();
    const QModelIndex first = rows.indexes().front();
    QItemSelectionModel& selection = *view().selectionModel();
    selection.select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    selection.setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    view().scrollTo(first);
}

void LibraryRuns::edit(RunColumn column) {
    const QModelIndex index = view().currentIndex().siblingAtColumn(int(column));
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEditable)) return;
    // Not QTreeView::setCurrentIndex, which reads the keyboard modifiers: with the Ctrl of Ctrl+T it would deselect the row.
    view().selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    view().edit(index);
}

}  // namespace heddle::ui
