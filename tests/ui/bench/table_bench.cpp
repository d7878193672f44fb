// SPDX-License-Identifier: GPL-3.0-or-later
// table_bench DATABASE [COLUMNS=50]: how long Compare's table makes a user wait. Opens the page on the database and prints how
// long it took until the first rows stood there and until all were read, and then the times of a sort by each column and of
// each letter of a filter, until the table is painted. Ends with 1 where the first rows took more than 1 s, or a sort or letter
// more than 100 ms. For example:
//   large_database large.heddle 10000 1000 && QT_QPA_PLATFORM=offscreen table_bench large.heddle
#include "tests/ui/support/offscreen.h"
#include "ui/data/studio.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTreeView>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double kOpenMs = 1000, kAnswerMs = 100;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The time of `act` and of painting what it changed.
template <class Act>
double timed(RunTableView& table, const Act& act) {
    const auto start = Clock::now();
    act();
    table.view().viewport()->repaint();
    const double milliseconds = millisecondsSince(start);
    QCoreApplication::processEvents();
    return milliseconds;
}

struct Slowest {
    double milliseconds = 0;
    std::string what;

    void add(double time, const std::string& name) {
        std::printf("%8.1f ms  %s\n", time, name.c_str());
        if (time > milliseconds) milliseconds = time, what = name;
    }
};

/// The columns of a user who wants to see everything.
std::vector<Column> columnsOf(const RunTable& table, std::size_t number) {
    std::vector<Column> columns = defaultColumns();
    for (const std::string& metric : table.metrics)
        for (const auto kind : {Column::Kind::Best, Column::Kind::Last}) columns.push_back({kind, metric});
    for (const std::string& path : table.paths) columns.push_back({Column::Kind::Setting, path});
    if (columns.size() > number) columns.resize(number);
    return columns;
}

int measure(const QString& database, std::size_t number) {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("studio.ini")), QSettings::IniFormat);
    Studio studio(nullptr, settings);
    ComparePage page(studio);
    page.resize(1800, 1000);
    page.show();
    page.setShown(true);
    auto& table = *page.findChild<RunTableView*>();
    const auto start = Clock::now();
    studio.open(database);
    waitUntil([&] { return table.model().rowCount() > 0; }, std::chrono::minutes(5));
    const double opened = millisecondsSince(start);
    std::printf("%8.1f ms  until the first rows\n", opened);
    waitUntil([&] { return table.reader().isWhole() && page.isSettled(); }, std::chrono::minutes(10));
    std::printf("%8.1f ms  until all %zu runs and their comparison\n", millisecondsSince(start), table.table()->runs.size());
    const auto columns = columnsOf(*table.table(), number);
    std::printf("%8.1f ms  to show %zu columns\n", timed(table, [&] { table.setColumns(columns); }), columns.size());
    Slowest slowest;
    for (int column = 0; column < int(columns.size()); column += 7)
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder})
            slowest.add(timed(table, [&] { table.setSort(column, order); }),
                        "sort by " + columns[std::size_t(column)].id().toStdString());
    for (const QString& filter :
         {QStringLiteral("name:run-1"), QStringLiteral("train.lr<0.05"), QStringLiteral("state:completed")})
        for (int letters = 1; letters <= filter.size(); ++letters)
            slowest.add(timed(table, [&] { table.filter().setText(filter.left(letters)); }),
                        "filter " + filter.left(letters).toStdString());
    std::printf("slowest: %.1f ms, %s\n", slowest.milliseconds, slowest.what.c_str());
    return opened <= kOpenMs && slowest.milliseconds <= kAnswerMs ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "table_bench DATABASE [COLUMNS]\n");
        return 2;
    }
    return measure(QString::fromLocal8Bit(argv[1]), argc > 2 ? std::size_t(std::atoi(argv[2])) : 50);
}
