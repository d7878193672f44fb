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
            options.metrics.push_back({column, {split, choice.metric.isEmpty() ? column : choice.metric.toStdString()}});
        };
        switch (choice.use) {
        case ColumnUse::Found: break;
        case ColumnUse::Run: options.run.push_back(column); break;
        case ColumnUse::Seed: options.seed = column; break;
        case ColumnUse::Step: options.step = column; break;
        case ColumnUse::Group: options.group = column; break;
        case ColumnUse::Valid: addMetric("valid"); break;
        case ColumnUse::Test: addMetric("test"); break;
        case ColumnUse::Curve: addMetric(""); break;
        case ColumnUse::LeftOut: options.ignore.push_back(column); break;
        }
    }
    return options;
}

/// Replaces whole phrases before their parts.
QString inDialogWords(QString words) {
    const QString it = ImportDialog::tr("take it for “%1” above"), them = ImportDialog::tr("take them for “%1” above");
    const QStringList names = namesOfUses();
    const QString run = names[int(ColumnUse::Run)], seed = names[int(ColumnUse::Seed)], step = names[int(ColumnUse::Step)],
                  leftOut = names[int(ColumnUse::LeftOut)], paired = ImportDialog::tr("Equal seeds are pairs");
    const std::pair<const char*, QString> kWords[] = {
        {"ignore one: --ignore COLUMN, or map it: --metric COLUMN=SPLIT:METRIC",
         ImportDialog::tr("take one of them for “%1” above, or give it the name of another metric").arg(leftOut)},
        {"name one: --metric COLUMN=SPLIT:METRIC",
         ImportDialog::tr("take one for an evaluation above, with the name of its metric")},
        {"ignore long ones: --ignore COLUMN", ImportDialog::tr("take columns with long ones for “%1” above").arg(leftOut)},
        {"remove --paired", ImportDialog::tr("untick “%1”").arg(paired)},
        {"--run COLUMN", them.arg(run)},
        {"--seed COLUMN", it.arg(seed)},
        {"--step COLUMN", it.arg(step)},
        {"--restarts", ImportDialog::tr("tick “Lower steps begin another run”")},
        {"--paired", paired},
    };
    words.replace(QLatin1String(" with --"), QLatin1String(": --"));
    for (const auto& [phrase, name] : kWords) words.replace(QLatin1String(phrase), name);
    // The name of the column and the ids of the runs end their sentences.
    static const QRegularExpression kIgnore(QStringLiteral("--ignore .*$"), QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kDelete(QStringLiteral("delete them first: heddle runs delete .*$"),
                                            QRegularExpression::DotMatchesEverythingOption);
    words.replace(kIgnore, it.arg(leftOut));
    return words.replace(kDelete,
                         ImportDialog::tr("delete them permanently on Library first; deleted runs are under “Deleted”"));
}

Problem inDialogWords(const Problem& problem) {
    // What is wrong names values and columns of the file, never an option; its place is a file or a run, seldom an option.
    const QString where = problem.where.startsWith(QLatin1String("--")) ? inDialogWords(problem.where) : problem.where;
    return {problem.what, where, problem.safe, inDialogWords(problem.next)};
}

}  // namespace heddle::ui
