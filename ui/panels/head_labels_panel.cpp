// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_labels_panel.h"

#include "ui/data/studio.h"
#include "ui/panels/number_table.h"
#include "ui/theme/type.h"
#include "ui/widgets/picture.h"

#include <QHeaderView>
#include <QSignalBlocker>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace heddle::ui {
namespace {

enum Column { PathColumn, HeadColumn, LabelsColumn, FirstScore };

struct ScoreColumn {
    QString title;
    std::optional<double> HeadScores::*score;
};

std::array<ScoreColumn, 8> scoreColumns() {
    return {{{HeadLabelsPanel::tr("previous"), &HeadScores::previous},
             {HeadLabelsPanel::tr("current"), &HeadScores::current},
             {HeadLabelsPanel::tr("next"), &HeadScores::next},
             {HeadLabelsPanel::tr("first"), &HeadScores::first},
             {HeadLabelsPanel::tr("duplicate"), &HeadScores::duplicate},
             {HeadLabelsPanel::tr("induction"), &HeadScores::induction},
             {HeadLabelsPanel::tr("copying"), &HeadScores::copying},
             {HeadLabelsPanel::tr("entropy, bits"), &HeadScores::entropy}}};
}

QString labelsIn(const HeadScores& head) {
    QStringList labels;
    for (const std::string& label : head.labels) labels << QString::fromStdString(label);
    return labels.join(QStringLiteral(", "));
}

QTableWidget* makeLabelsTable(QWidget* parent) {
    QStringList titles{HeadLabelsPanel::tr("sublayer"), HeadLabelsPanel::tr("head"), HeadLabelsPanel::tr("labels")};
    for (const ScoreColumn& column : scoreColumns()) titles << column.title;
    QTableWidget* made = makeNumberTable("headLabels", titles, HeadLabelsPanel::tr("Labels of heads"), parent);
    made->horizontalHeader()->setSortIndicator(PathColumn, Qt::AscendingOrder);
    for (int column = FirstScore; column < made->columnCount(); ++column)  // the first click shows the largest scores
        made->horizontalHeaderItem(column)->setData(Qt::InitialSortOrderRole, Qt::DescendingOrder);
    return made;
}

}  // namespace

HeadLabelsPanel::HeadLabelsPanel(InspectedPair& pair, QWidget* parent)
    : Panel(tr("Head labels"), parent),
      pair_(pair),
      measured_(
          pair, this, [](InspectionSession& session) { return session.labels({}); }, [this] { show(); }),
      table_(makeLabelsTable(this)),
      export_(new QPushButton(tr("Export…"), this)) {
    setBody(table_);
    measured_.button()->setObjectName(QStringLiteral("measureLabels"));
    addToHead(measured_.button());
    export_->setObjectName(QStringLiteral("exportLabels"));
    setControlRole(*export_, ControlRole::Small);
    addToHeadEnd(export_);
    connect(export_, &QPushButton::clicked, this, [this] {
        openExportDialog({tr("Export the labels of heads"), tableFilters(), tr("head labels")}, this,
                         [this](const QString& file) { exportTo(file); });
    });
    connect(&pair_, &InspectedPair::changed, this, &HeadLabelsPanel::show);
    connect(table_, &QTableWidget::itemSelectionChanged, this, [this] {
        const QModelIndexList rows = table_->selectionModel()->selectedRows();
        if (rows.isEmpty() || !shown_) return;
        const HeadScores& head = shown_->heads[table_->item(rows.front().row(), PathColumn)->data(Qt::UserRole).toUInt()];
        Q_EMIT headChosen(QString::fromStdString(head.path), int(head.head));
    });
    show();
}

void HeadLabelsPanel::show() {
    measured_.showButton();
    const LabelsReport* report = measured_.of(pair_.a());
    if (report) {
        setNote(measured_.noteOf(*report) + QStringLiteral("; ") +
                tr("a label: its score is at least %1").arg(number(kLabelThreshold, 1)));
        setPlaceholder({}, {});
    } else {
        setNote({});
        const auto [title, text] =
            measured_.whyNot(tr("Measure scores each head by what it attends to, on the first %1 examples of the %2 split.")
                                 .arg(count(ExampleSet().examples), QString::fromStdString(ExampleSet().split)));
        setPlaceholder(title, text);
    }
    export_->setVisible(report);
    if (report == std::exchange(shown_, report)) return;
    fill(report ? *report : LabelsReport());
}

void HeadLabelsPanel::exportTo(const QString& file) {
    if (!shown_) return;
    PlotTable table;
    table.caption = InspectedPair::modelLabel(pair_.a()) + QStringLiteral("; ") + measured_.noteOf(*shown_);
    table.columns << tr("sublayer") << tr("head") << tr("labels");
    table.textColumns = FirstScore;
    for (const ScoreColumn& column : scoreColumns()) table.columns << column.title;
    for (const HeadScores& head : shown_->heads) {
        table.rows << QStringList{QString::fromStdString(head.path), QString::number(head.head), labelsIn(head)};
        for (const ScoreColumn& column : scoreColumns()) {
            const std::optional<double> score = head.*column.score;
            table.rows.back() << (score ? exportedNumber(*score) : QString());
        }
    }
    pair_.studio().writeExport(file, [table, file] { return tableBytes(table, file); });
}

void HeadLabelsPanel::fill(const LabelsReport& report) {
    const QSignalBlocker blocker(table_);
    table_->setSortingEnabled(false);
    table_->setRowCount(int(report.heads.size()));
    std::array<ScoreColumn, 8> columns = scoreColumns();
    QHash<QString, QString> labels;
    using Kind = TableCell::Kind;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const HeadScores& head = report.heads[std::size_t(row)];
        const QString path = QString::fromStdString(head.path), words = labelsIn(head);
        auto* name = new TableCell(path, Kind::Text, row);  // in the order of the model
        name->setData(Qt::UserRole, row);
        name->setFont(typeFont(Type::Mono));
        table_->setItem(row, PathColumn, name);
        table_->setItem(row, HeadColumn, new TableCell(count(head.head), Kind::Number, double(head.head)));
        table_->setItem(row, LabelsColumn, new TableCell(words, Kind::Text));
        for (int i = 0; i < int(columns.size()); ++i) {
            const std::optional<double> score = head.*columns[std::size_t(i)].score;
            table_->setItem(
                row, FirstScore + i,
                new TableCell(number(score, 3), Kind::Number, score.value_or(-std::numeric_limits<double>::infinity())));
        }
        if (!words.isEmpty()) labels[path + QLatin1Char(':') + QString::number(head.head)] = words;
    }
    for (int i = 0; i < int(columns.size()); ++i)  // scores that no head has
        table_->setColumnHidden(FirstScore + i, std::none_of(report.heads.begin(), report.heads.end(), [&](const auto& head) {
                                    return (head.*columns[std::size_t(i)].score).has_value();
                                }));
    table_->setSortingEnabled(true);
    Q_EMIT labelsChanged(labels);
}

}  // namespace heddle::ui
