// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/import_choices.h"

#include "ui/pages/library/import_dialog.h"

#include <QRegularExpression>

#include <utility>

namespace heddle::ui {

QStringList namesOfUses() {
    return {ImportDialog::tr("what was found"),
            ImportDialog::tr("run"),
            ImportDialog::tr("seed"),
            ImportDialog::tr("step"),
            ImportDialog::tr("group"),
            ImportDialog::tr("evaluation, split valid"),
            ImportDialog::tr("evaluation, split test"),
            ImportDialog::tr("curve of training"),
            ImportDialog::tr("left out")};
}

bool takesMetric(ColumnUse use) { return use == ColumnUse::Valid || use == ColumnUse::Test || use == ColumnUse::Curve; }

ColumnUse ImportChoices::useOf(const std::string& column) const {
    const auto found = columns.find(column);
    return found == columns.end() ? ColumnUse::Found : found->second.use;
}

void ImportChoices::choose(const std::string& column, ColumnChoice choice) {
    const bool isSingle = choice.use == ColumnUse::Seed || choice.use == ColumnUse::Step || choice.use == ColumnUse::Group;
    if (isSingle) std::erase_if(columns, [&](const auto& other) { return other.second.use == choice.use; });
    if (choice.use == ColumnUse::Found)
        columns.erase(column);
    else
        columns[column] = std::move(choice);
}

app::ForeignOptions ImportChoices::options() const {
    app::ForeignOptions options;
    options.group = group.toStdString();
    options.paired = isPaired;
    options.restarts = restarts;
    for (const auto& [column, choice] : columns) {
        const auto addMetric = [&, &column = column, &choice = choice](const char* split) {
            const std::string metric = choice.metric.isEmpty() ? column : choice.metric.toStdString();
            options.metrics.push_back(column + "=" + split + ":" + metric);
        };
        switch (choice.use) {
        case ColumnUse::Found: break;
        case ColumnUse::Run: options.run.push_back(column); break;
        case ColumnUse::Seed: options.seed = column; break;
        case ColumnUse::Step: options.step = column; break;
        case ColumnUse::Group: options.group = column; break;
        case ColumnUse::Valid: addMetric("valid"); break;
        case ColumnUse::Test: addMetric("test"); break;
        case ColumnUse::Curve: addMetric("train"); break;
        case ColumnUse::LeftOut: options.ignore.push_back(column); break;
        }
    }
    return options;
}

QString inDialogWords(QString words) {
    const QString use = ImportDialog::tr("take it for “%1” above");
    const QStringList names = namesOfUses();
    const std::pair<const char*, QString> kWords[] = {
        {"--run COLUMN", use.arg(names[int(ColumnUse::Run)])},
        {"--seed COLUMN", use.arg(names[int(ColumnUse::Seed)])},
        {"--step COLUMN", use.arg(names[int(ColumnUse::Step)])},
        {"--metric COLUMN=SPLIT:METRIC", ImportDialog::tr("take it for an evaluation above, with the name of its metric")},
        {"with --ignore COLUMN", use.arg(names[int(ColumnUse::LeftOut)])},
        {"--restarts", ImportDialog::tr("tick “Lower steps begin another run”")},
        {"leave --paired out", ImportDialog::tr("untick “Equal seeds are pairs”")},
        {"--paired", ImportDialog::tr("Equal seeds are pairs")},
    };
    for (const auto& [option, name] : kWords) words.replace(QLatin1String(option), name);
    // The name of the column ends the sentence.
    return words.replace(QRegularExpression(QStringLiteral("--ignore .*$")), use.arg(names[int(ColumnUse::LeftOut)]));
}

Problem inDialogWords(const Problem& problem) {
    return {inDialogWords(problem.what), inDialogWords(problem.where), problem.safe, inDialogWords(problem.next)};
}

}  // namespace heddle::ui
