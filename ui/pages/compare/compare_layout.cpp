// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_layout.h"

#include "engine/analysis/metric_summary.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/json_member.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/page.h"
#include "ui/panels/table/filter_line.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/widgets/picture.h"
#include "ui/widgets/small_parts.h"

#include <QFileDialog>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr const char* kSchema = "heddle.layout/1";
constexpr const char* kNext = "save a layout on Compare to see what belongs into it";

template <class T>
T member(const Json& layout, const char* key, const std::string& where, T otherwise) {
    return memberOr<T>(layout, key, std::move(otherwise), "the layout", where, kNext);
}

std::vector<Column> columnsOf(const Json& layout, const std::string& where) {
    std::vector<Column> columns;
    for (const auto& id : member<std::vector<std::string>>(layout, "columns", where, {})) {
        const auto column = Column::fromId(QString::fromStdString(id));
        if (!column) throwInvalid("no column is called \"" + id + "\"", where, kNext);
        columns.push_back(*column);
    }
    return columns;
}

}  // namespace

CompareLayout::CompareLayout(Page& page, Studio& studio, RunTableView& table, StudyComparer& comparer)
    : QObject(&page), page_(page), studio_(studio), table_(table), comparer_(comparer) {
    const QString filter = tr("Layout (*.json)");
    save_ = makeAction(this, {"saveLayout", tr("Save layout as file…")}, [this, filter] {
        openExportDialog({tr("Save layout"), {filter}, tr("layout")}, &page_, [this](const QString& file) { saveAs(file); });
    });
    open_ = makeAction(this, {"openLayout", tr("Open layout file…")}, [this, filter] {
        auto* dialog = new QFileDialog(&page_, tr("Open layout"), {}, filter);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &CompareLayout::open);
        dialog->open();
    });
}

Json CompareLayout::toJson() const {
    const ArrangeOptions& options = table_.options();
    const StudyMetric& metric = comparer_.metric();
    Json columns = Json::array();
    for (const Column& column : options.columns) columns.push_back(column.id().toStdString());
    return {{"schema", kSchema},
            {"page", "compare"},
            {"columns", std::move(columns)},
            {"grouped", options.grouping == Grouping::Settings},
            {"sort", options.sortColumn},
            {"descending", options.order == Qt::DescendingOrder},
            {"filter", options.filter.toStdString()},
            {"metric", metric.split + "." + metric.name},
            {"value", metric.rule.text()},
            {"holm", comparer_.holm()},
            {"panels", page_.arrangement().toBase64().toStdString()}};
}

void CompareLayout::saveAs(const QString& file) const {
    studio_.writeExport(file, [text = toJson().dump(1)] { return QByteArray::fromStdString(text + "\n"); });
}

void CompareLayout::open(const QString& file) {
    const auto read = [path = file.toStdString()] { return parseJson(readWholeFile(path), path); };
    ask(this, Pool{}, read, [this, file](const Result<Json>& layout) {
        if (!layout) return studio_.report(layout.problem());
        try {
            apply(*layout, file.toStdString());
        } catch (const Error& error) {
            studio_.report(problemOf(error));
        }
    });
}

void CompareLayout::apply(const Json& layout, const std::string& where) {
    if (!layout.is_object() || layout.value("schema", Json()) != kSchema || layout.value("page", Json()) != "compare")
        throwInvalid("this is no layout of Compare", where, kNext);
    const std::vector<Column> columns = columnsOf(layout, where);
    const auto metric = member<std::string>(layout, "metric", where, "valid.loss");
    const auto dot = metric.find('.');
    if (dot == std::string::npos) throwInvalid("\"metric\" names no split: " + metric, where, R"(for example "valid.loss")");
    const ValueRule rule = ValueRule::parse(member<std::string>(layout, "value", where, "last"), where);
    const bool isGrouped = member<bool>(layout, "grouped", where, true), holm = member<bool>(layout, "holm", where, true);
    const int sort = member<int>(layout, "sort", where, 0);
    const bool isDescending = member<bool>(layout, "descending", where, false);
    const QString filter = QString::fromStdString(member<std::string>(layout, "filter", where, ""));
    const auto panels = member<std::string>(layout, "panels", where, "");
    table_.setColumns(columns);
    table_.setGrouping(isGrouped ? Grouping::Settings : Grouping::None);
    table_.setSort(sort, isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
    table_.filter().setText(filter);
    const std::string name = metric.substr(dot + 1);
    comparer_.setMetric({metric.substr(0, dot), name, rule, lowerIsBetter(name)});
    comparer_.setHolm(holm);
    page_.arrange(QByteArray::fromBase64(QByteArray::fromStdString(panels)));
}

}  // namespace heddle::ui
