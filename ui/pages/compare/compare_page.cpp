// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_page.h"

#include "ui/data/run_group.h"
#include "ui/pages/compare/column_chooser.h"
#include "ui/pages/compare/compare_actions.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/compared_tables.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/pages/compare/ticked_runs.h"
#include "ui/pages/first_run.h"
#include "ui/pages/layout_box.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_panel.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/picture.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolBar>
#include <QTreeView>

#include <utility>

namespace heddle::ui {

ComparePage::ComparePage(Studio& studio)
    : Page(studio, PageId::Compare, QStringLiteral("compare")),
      table_(new RunTablePanel(studio, TableUse::Compare, defaultColumns(), this)),
      ticked_(new TickedRuns(studio, *table_, this)),
      actions_(new CompareActions(studio, *table_, this)),
      differences_(new DifferencesTable(studio, this)),
      values_(new EndValuesTable(studio, this)),
      curves_(new ComparedCurves(studio, this)),
      chooser_(new ColumnChooser(this)) {
    table_->setWhereNoRuns(makeFirstRunCard(studio, this, tr("A run appears here as a row as soon as it is queued.")));
    table_->setMinimumHeight(px(204));  // with the card of no runs
    setCentralWidget(table_);
    buildActions();
    buildToolBar();
    buildDocks();
    connectTable();
    showCounts();
    showTicked();
    rememberLayout();
}

void ComparePage::buildToolBar() {
    auto* bar = new QToolBar(tr("Compare"), this);
    bar->setObjectName(QStringLiteral("compareBar"));
    bar->setMovable(false);
    counts_ = new QLabel(bar);
    counts_->setFont(numberFont(Type::Body));
    counts_->setForegroundRole(QPalette::PlaceholderText);
    counts_->setContentsMargins(px(8), 0, px(8), 0);
    grouping_ = new QComboBox(bar);
    grouping_->setAccessibleName(tr("Group runs"));
    grouping_->addItems({tr("Group by settings"), tr("Single runs")});
    auto* columns = new QPushButton(themeIcon(Icon::Columns), tr("Columns"), bar);
    auto* exports = new QPushButton(themeIcon(Icon::Export), tr("Export"), bar);
    exports->setMenu(makeExports());
    for (QWidget* part : std::initializer_list<QWidget*>{&table_->filter(), counts_, grouping_}) bar->addWidget(part);
    for (QPushButton* button : {columns, exports}) {
        auto* gap = new QWidget(bar);
        gap->setFixedWidth(px(6));
        bar->addWidget(gap);
        bar->addWidget(button);
    }
    bar->addWidget(new LayoutBox(*this, studio().settings(), bar));
    addToolBar(Qt::TopToolBarArea, bar);
    QAction* choose = viewAction(tr("Columns…"), {},
                                 [this, columns] { chooser_->open(*columns, *table_->table(), table_->options().columns); });
    choose->setIcon(themeIcon(Icon::Columns));
    viewActions_.prepend(choose);
    viewActions_ << exports->menu()->actions().mid(0, 3);
    connect(columns, &QPushButton::clicked, choose, &QAction::trigger);
    connect(chooser_, &ColumnChooser::chosen, table_, &RunTablePanel::setColumns);
    connect(grouping_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { table_->setGrouping(index == 0 ? Grouping::Settings : Grouping::None); });
}

void ComparePage::buildDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const auto dock = [this](const char* name, QWidget* body) {
        QDockWidget* made = makeDock(QString::fromLatin1(name), body->windowTitle(), body);
        made->setAccessibleName(body->windowTitle());
        connect(body, &QWidget::windowTitleChanged, made, &QWidget::setWindowTitle);
        return made;
    };
    QDockWidget *differences = dock("differences", differences_), *values = dock("endValues", values_),
                *curves = dock("curves", curves_);
    addDockWidget(Qt::BottomDockWidgetArea, values);
    splitDockWidget(values, curves, Qt::Horizontal);
    splitDockWidget(values, differences, Qt::Vertical);
    resizeDocks({values, curves}, {px(660), px(700)}, Qt::Horizontal);
    resizeDocks({values, differences}, {px(250), px(250)}, Qt::Vertical);
}

void ComparePage::buildActions() {
    QAction* asTable = viewAction(tr("Curves as a table"), Qt::Key_T, [this] { curves_->panel().toggleTable(); });
    asTable->setIcon(themeIcon(Icon::Table));
    QAction* next = viewAction(tr("Next difference"), Qt::Key_N, [this] {
        auto* dock = qobject_cast<QDockWidget*>(differences_->parentWidget());
        dock->show();
        dock->raise();
        differences_->selectNext();
    });
    differences_->addAction(next);
    table_->view().addActions({asTable, next});
    viewActions_ = {asTable, &curves_->ignoreOutliers(), next};
}

/// The menu of the button.
QMenu* ComparePage::makeExports() {
    struct Entry {
        QString text, name;
        Export what;
    };
    auto* menu = new QMenu(this);
    for (const Entry& entry : {Entry{tr("Export table…"), tr("runs"), Export::Table},
                               Entry{tr("Export curves as picture…"), tr("curves"), Export::Picture},
                               Entry{tr("Export values of curves…"), tr("curves"), Export::Values},
                               Entry{tr("Export end values…"), tr("end values"), Export::EndValues},
                               Entry{tr("Export differences…"), tr("settings"), Export::Differences}})
        menu->addAction(viewAction(entry.text, {}, [this, entry] {
            const auto filters = entry.what == Export::Picture ? pictureFilters() : tableFilters();
            openExportDialog({QString(entry.text).remove(QChar(0x2026)), filters, entry.name}, this,
                             [this, entry](const QString& file) { exportTo(file, entry.what); });
        }));
    exportTable_ = menu->actions().constFirst();
    makeExport(*exportTable_);
    addActions(menu->actions());
    return menu;
}

QList<QAction*> ComparePage::editActions() const { return actions_->edits(); }
QList<QAction*> ComparePage::runActions() const { return actions_->onRuns(); }

void ComparePage::connectTable() {
    connect(ticked_, &TickedRuns::changed, this, &ComparePage::showTicked);
    connect(&table_->reader(), &RunTableReader::changed, this, &ComparePage::showTicked);
    connect(&table_->reader(), &RunTableReader::restarted, this, [this] {
        if (table_->reader().isWhole()) showTicked();  // the last database was closed
    });
    connect(table_, &RunTablePanel::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(table_, &RunTablePanel::selectionChanged, this, [this] { curves_->setChosen(table_->selectedRuns()); });
    connect(table_, &RunTablePanel::arranged, this, [this] {
        showCounts();
        // The keyboard begins in the rows, once there are some.
        if (isVisible() && table_->model().rowCount() > 0 && !std::exchange(entered_, true))
            table_->view().setFocus(Qt::OtherFocusReason);
    });
    table_->setBaseline(studio().colours().baseline());
    connect(&studio().colours(), &VariantColours::changed, this, [this] {
        table_->setBaseline(studio().colours().baseline());
        showTicked();
    });
}

void ComparePage::setShown(bool shown) {
    table_->reader().setActive(shown);
    if (shown) ticked_->suggest();
}

void ComparePage::showCounts() {
    const auto& shown = *table_->model().arrangement();
    const auto& table = *table_->table();
    const auto read = std::int64_t(table.runs.size());
    counts_->setText(read < table.total   ? tr("%1 of %Ln run(s) read", nullptr, int(table.total)).arg(count(read))
                     : shown.shown < read ? tr("%1 of %Ln run(s)", nullptr, int(read)).arg(count(shown.shown))
                                          : tr("%Ln run(s)", nullptr, int(read)));
    exportTable_->setEnabled(shown.shown > 0);
    exportTable_->setToolTip(shown.shown > 0 ? QString() : tr("No run is in the table"));
}

void ComparePage::showTicked() {
    const auto runs = ticked_->facts();
    std::vector<CurveRun> curves;
    std::map<std::string, QString> names;
    for (const auto& run : runs) {
        curves.push_back({run->record.ref, run->record.groupKey, runLabel(run->record), table_->nameOfGroup(run),
                          studio().colours().orderOf(run->record), memberOf(run->record)});
        names[curves.back().group] = curves.back().groupLabel;
    }
    const bool isOther = runs != compared_ || curves != drawn_ || runs.empty();
    compared_ = runs;
    drawn_ = curves;
    curves_->setChosen(table_->selectedRuns());
    table_->view().viewport()->update();  // groups drawn for the first time have their line now
    if (!isOther) return;
    curves_->setRuns(curves);
    differences_->setRuns(runs, names);
    values_->setRuns(runs);
}

void ComparePage::exportTo(const QString& file, Export what) {
    constexpr QSize kPicture(1200, 720);
    if (what == Export::Picture) return studio().writeExport(file, painted(curves_->plot().picture(kPicture), file));
    const auto format = tableFormatOf(file.toStdString());
    if (what == Export::Table && format)
        return studio().writeExport(file, [shown = table_->model().arrangement(), format] {
            return QByteArray::fromStdString(exportOf(*shown, *format));
        });
    const PlotTable table = what == Export::Values      ? curves_->plot().table()
                            : what == Export::EndValues ? values_->table()
                                                        : differences_->table();
    studio().writeExport(file, [table, file] { return tableBytes(table, file); });
}

void ComparePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.beginGroup(name());
    table_->saveSession(settings);
    settings.endGroup();
    curves_->saveSession(settings);
    ticked_->saveSession(settings);
}

void ComparePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    settings.beginGroup(name());
    table_->restoreSession(settings);
    settings.endGroup();
    grouping_->setCurrentIndex(table_->options().grouping == Grouping::Settings ? 0 : 1);
    curves_->restoreSession(settings);
}

}  // namespace heddle::ui
