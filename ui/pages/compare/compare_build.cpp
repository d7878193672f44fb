// SPDX-License-Identifier: GPL-3.0-or-later
// ComparePage: tool bar, docks.
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/curves_panel.h"
#include "ui/pages/compare/filter_line.h"
#include "ui/pages/compare/run_table_panel.h"
#include "ui/pages/compare/value_table.h"
#include "ui/pages/layout_box.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolBar>
#include <QTreeView>
#include <QVBoxLayout>

namespace heddle::ui {

void ComparePage::buildToolBar() {
    auto* bar = new QToolBar(tr("Compare"), this);
    bar->setObjectName(QStringLiteral("compareBar"));
    bar->setMovable(false);
    filter_ = new FilterLine(bar);
    counts_ = new QLabel(bar);
    counts_->setFont(numberFont(Type::Body));
    counts_->setForegroundRole(QPalette::PlaceholderText);
    counts_->setContentsMargins(px(8), 0, px(8), 0);
    grouping_ = new QComboBox(bar);
    grouping_->setAccessibleName(tr("Group runs"));
    grouping_->addItem(tr("Group by settings"));
    grouping_->addItem(tr("Single runs"));
    columnsButton_ = new QPushButton(themeIcon(Icon::Columns), tr("Columns"), bar);
    auto* exportButton = new QPushButton(themeIcon(Icon::Export), tr("Export"), bar);
    exportButton->setObjectName(QStringLiteral("exportButton"));
    exportButton->setMenu(new QMenu(exportButton));
    bar->addWidget(filter_);
    bar->addWidget(counts_);
    bar->addWidget(grouping_);
    for (QWidget* button : {static_cast<QWidget*>(columnsButton_), static_cast<QWidget*>(exportButton)}) {
        auto* gap = new QWidget(bar);
        gap->setFixedWidth(px(6));
        bar->addWidget(gap);
        bar->addWidget(button);
    }
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));
    addToolBar(Qt::TopToolBarArea, bar);
    buildProblemRow();

    chooser_ = new ColumnChooser(this);
    connect(filter_, &QLineEdit::textChanged, table_, &RunTablePanel::setFilter);
    connect(filter_, &QLineEdit::returnPressed, this, [this] { table_->view().setFocus(Qt::ShortcutFocusReason); });
    connect(grouping_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { table_->setGrouping(index == 0 ? Grouping::Settings : Grouping::None); });
    connect(chooser_, &ColumnChooser::chosen, table_, &RunTablePanel::setColumns);
}

/// What is wrong with the filter, in a line of its own above the table.
void ComparePage::buildProblemRow() {
    problemRow_ = new QWidget(this);
    problem_ = new QLabel(problemRow_);
    problem_->setTextFormat(Qt::PlainText);
    suggestion_ = new QPushButton(problemRow_);
    setControlRole(*suggestion_, ControlRole::Small);
    auto* row = new QHBoxLayout(problemRow_);
    row->setContentsMargins(px(8), px(2), px(8), px(2));
    row->addWidget(problem_);
    row->addWidget(suggestion_);
    row->addStretch(1);
    auto* middle = new QWidget(this);
    QVBoxLayout* column = makeColumn(middle);
    column->addWidget(problemRow_);
    column->addWidget(table_, 1);
    table_->setMinimumHeight(px(204));  // with the card of no runs
    setCentralWidget(middle);
    problemRow_->hide();
    const auto recolour = [this] {
        QPalette palette = problem_->palette();
        palette.setColor(QPalette::WindowText, Theme::color(Token::Bad));
        problem_->setPalette(palette);
    };
    recolour();
    connect(&Theme::instance(), &Theme::changed, this, recolour);
    connect(suggestion_, &QPushButton::clicked, this, [this] {
        if (const auto& error = table_->filterError()) filter_->setText(error->suggestion);
    });
}

void ComparePage::buildDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    differences_ = new ValueTable(tr("Specification differences"), this);
    values_ = new ValueTable(tr("End values"), this);
    curves_ = new CurvesPanel(studio(), this);
    differencesDock_ = makeDock(QStringLiteral("differences"), tr("Specification, differences"), differences_);
    valuesDock_ = makeDock(QStringLiteral("endValues"), tr("End values"), values_);
    curvesDock_ = makeDock(QStringLiteral("curves"), tr("Curves"), curves_);
    for (QDockWidget* dock : {differencesDock_, valuesDock_, curvesDock_}) dock->setAccessibleName(dock->windowTitle());
    addDockWidget(Qt::BottomDockWidgetArea, valuesDock_);
    splitDockWidget(valuesDock_, curvesDock_, Qt::Horizontal);
    splitDockWidget(valuesDock_, differencesDock_, Qt::Vertical);
    resizeDocks({valuesDock_, curvesDock_}, {px(660), px(700)}, Qt::Horizontal);
    resizeDocks({valuesDock_, differencesDock_}, {px(250), px(250)}, Qt::Vertical);
}

}  // namespace heddle::ui
