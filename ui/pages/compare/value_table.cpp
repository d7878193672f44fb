// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/value_table.h"

#include "ui/panels/table/variant_delegate.h"
#include "ui/theme/type.h"
#include "ui/widgets/empty_state.h"

#include <QApplication>
#include <QHeaderView>
#include <QStackedLayout>
#include <QTableView>

#include <algorithm>

namespace heddle::ui {

namespace {

/// The length of the words that all names begin with: "sweep 7 quick " of "sweep 7 quick base s1" and "sweep 7 quick wide s1".
/// The last two words of a name never count, so that seeds of one variant keep its name.
qsizetype sharedStart(const QStringList& names) {
    if (names.size() < 2) return 0;
    qsizetype shared = names.front().size();
    for (const QString& name : names) {
        shared = std::min(shared, name.size());
        while (!name.startsWith(QStringView(names.front()).first(shared))) --shared;
    }
    for (const QString& name : names) {
        const qsizetype last = name.lastIndexOf(QLatin1Char(' '));
        shared = std::min(shared, last < 1 ? 0 : name.lastIndexOf(QLatin1Char(' '), last - 1) + 1);
    }
    return shared > 0 ? names.front().lastIndexOf(QLatin1Char(' '), shared - 1) + 1 : 0;
}

}  // namespace

/// With Unequal, paths are in mono and different values in bold.
class ValueTable::Model : public PlotTableModel {
public:
    using PlotTableModel::PlotTableModel;
    Emphasis emphasis = Emphasis::None;
    std::vector<int> orders;  ///< of the variant of each column
    const QTableView* view = nullptr;

    void setContent(const Content& content) {
        emphasis = content.emphasis;
        orders = content.orders;
        QStringList names;
        for (int i = 0; i < int(content.table.columns.size()); ++i)
            if (isRun(i)) names << content.table.columns[i];
        shared_ = sharedStart(names);
        setTable(content.table);
    }

    bool isRun(int column) const { return column < int(orders.size()) && orders[std::size_t(column)] >= 0; }
    /// The width of a header without its words: the sample of the line and margins.
    static int aroundName() { return px(16 + 4 + 2 * 6 + 6); }

    /// The whole text of a cell, which may be elided; of an end value also the signature in the last column.
    QString tipAt(const QModelIndex& index) const {
        const QString cell = PlotTableModel::data(index, Qt::DisplayRole).toString();
        if (emphasis == Emphasis::Unequal) return cell;
        return cell + QLatin1Char('\n') + table().rows[index.row()].last();
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid()) return {};
        if (role == Qt::ToolTipRole) return tipAt(index);
        if (role != Qt::FontRole || emphasis != Emphasis::Unequal) return PlotTableModel::data(index, role);
        if (index.column() == 0) return typeFont(Type::Mono);
        const QStringList& row = table().rows[index.row()];
        return index.column() > 1 && row[index.column()] != row[1] ? strongFont(Type::Body) : typeFont(Type::Body);
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        const QVariant whole = PlotTableModel::headerData(section, orientation, Qt::DisplayRole);
        if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) return whole;
        if (orientation != Qt::Horizontal || !isRun(section) || (role != Qt::DisplayRole && role != Qt::DecorationRole))
            return PlotTableModel::headerData(section, orientation, role);
        // Qt's header does not leave room for the picture when it elides the name.
        if (role == Qt::DisplayRole) return elided(whole.toString(), view->columnWidth(section) - aroundName());
        return variantSample(orders[std::size_t(section)], VariantSample::Line, {px(16), px(14)}, qApp->devicePixelRatio());
    }

private:
    /// Leaves out first what all names begin with, since the rest tells them apart.
    QString elided(const QString& name, int width) const {
        const QFontMetrics metrics(strongFont(Type::Body));
        if (shared_ == 0 || metrics.horizontalAdvance(name) <= width) return metrics.elidedText(name, Qt::ElideMiddle, width);
        return metrics.elidedText(QChar(0x2026) + name.mid(shared_), Qt::ElideMiddle, width);
    }

    qsizetype shared_ = 0;  ///< letters that the names of all runs begin with
};

ValueTable::ValueTable(const QString& accessibleName, QWidget* parent)
    : QWidget(parent),
      model_(new Model(this)),
      view_(new QTableView(this)),
      empty_(new EmptyState(this)),
      stack_(new QStackedLayout(this)) {
    model_->view = view_;
    view_->setModel(model_);
    view_->setAccessibleName(accessibleName);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setAlternatingRowColors(true);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setWordWrap(false);
    view_->setShowGrid(false);
    view_->setTabKeyNavigation(false);
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setMinimumSectionSize(px(20));
    view_->verticalHeader()->setDefaultSectionSize(px(24));
    view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view_->horizontalHeader()->setResizeContentsPrecision(0);
    view_->horizontalHeader()->setHighlightSections(false);
    view_->setTextElideMode(Qt::ElideMiddle);  // the ends tell paths apart
    stack_->addWidget(view_);
    stack_->addWidget(empty_);
}

void ValueTable::setContent(const Content& content) {
    const bool sameColumns = content.table.columns == model_->table().columns;
    const QModelIndex current = view_->currentIndex();
    model_->setContent(content);
    if (current.isValid()) view_->setCurrentIndex(model_->index(current.row(), current.column()));
    empty_->setWords({}, content.empty);
    stack_->setCurrentIndex(content.table.rows.isEmpty() ? 1 : 0);
    if (!sameColumns) fitColumns();
}

const PlotTable& ValueTable::table() const { return model_->table(); }

void ValueTable::selectNext() {
    if (model_->rowCount() == 0) return;
    const int row = view_->currentIndex().isValid() ? (view_->currentIndex().row() + 1) % model_->rowCount() : 0;
    view_->setCurrentIndex(model_->index(row, 0));
    view_->setFocus(Qt::ShortcutFocusReason);
}

/// Makes columns as wide as their values; the name of a run is elided rather than pushing the next run out of sight.
void ValueTable::fitColumns() {
    const auto runs = std::count_if(model_->orders.begin(), model_->orders.end(), [](int order) { return order >= 0; });
    for (int i = 0; i < model_->columnCount(); ++i) {
        int width = 0;
        for (int row = 0; row < model_->rowCount(); ++row) {
            const QModelIndex cell = model_->index(row, i);
            const QVariant font = cell.data(Qt::FontRole);
            width = std::max(width, textWidth(cell.data().toString(), font.isValid() ? font.value<QFont>() : view_->font()));
        }
        const bool isRun = model_->isRun(i);
        const int title = isRun ? std::min(textWidth(model_->table().columns[i], strongFont(Type::Body)) + Model::aroundName(),
                                           px(runs > 4 ? 126 : 150))
                                : view_->horizontalHeader()->sectionSizeHint(i);
        const int most = !isRun ? px(340) : runs > 3 ? px(150) : px(200);
        view_->setColumnWidth(i, std::max(std::min(width + px(16), most), title));
    }
}

}  // namespace heddle::ui
