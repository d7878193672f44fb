// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/import_dialog.h"

#include "app/foreign/column_roles.h"
#include "engine/base/error.h"
#include "storage/file_system.h"
#include "ui/text/number.h"
#include "ui/text/utf8.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/small_parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kRunsShown = 1000;  ///< rows of the preview; all are imported

std::shared_ptr<const app::ForeignTable> tableOf(const std::string& file) {
    // Only the first bytes are read, without a connection: the file to import is none of the open databases.
    if (storage::inspect(storage::realFile(file)) == storage::FileKind::RunDatabase)
        throw Error(ErrorCode::Usage, "is a run database of Heddle", file,
                    "open it beside the current one: its runs need no import");
    return std::make_shared<const app::ForeignTable>(app::readForeign(file));
}

QTreeWidget* makeTree(const char* name, const QString& title, const QStringList& columns, QWidget* parent) {
    auto* tree = new QTreeWidget(parent);
    tree->setObjectName(QString::fromLatin1(name));
    tree->setAccessibleName(title);
    tree->setHeaderLabels(columns);
    tree->setUniformRowHeights(true);
    tree->setAlternatingRowColors(true);
    tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setStretchLastSection(false);
    return tree;
}

/// Values of a run's evaluations.
qint64 evaluationsOf(const app::ForeignRun& run) {
    qint64 values = 0;
    for (const auto& [metric, curve] : run.metrics) values += qint64(curve.size());
    return values;
}

QTreeWidgetItem* itemOf(const app::ForeignRun& run) {
    auto* item = new QTreeWidgetItem({text(run.name), run.seed ? QString::number(*run.seed) : QString(kNoValue),
                                      count(run.lastStep), count(evaluationsOf(run))});
    item->setToolTip(0, text(run.key));
    return item;
}

}  // namespace

ImportDialog::ImportDialog(Studio& studio, const QString& file, QWidget* parent)
    : QDialog(parent),
      studio_(studio),
      file_(QDir::cleanPath(file)),  // a folder that was dropped may end with "/"
      database_(studio.databases().currentNumber()),
      reading_(this, [this](Result<std::shared_ptr<const app::ForeignTable>> table) { takeTable(std::move(table)); }),
      understanding_(this, [this](Result<std::shared_ptr<const UnderstoodFile>> answer) { takeImport(std::move(answer)); }),
      typing_(
          this, [this] { interpret(); }, Delay::kSettled),
      source_(new ElidedLabel(this)),
      notes_(makeCaption({}, this)),
      columns_(makeTree("importColumns", tr("Columns"), {tr("Column"), tr("Is")}, this)),
      runs_(makeTree("importRuns", tr("Runs by group"), {tr("Run"), tr("Seed"), tr("Last step"), tr("Evaluations")}, this)),
      use_(new QComboBox(this)),
      metric_(new QLineEdit(this)),
      group_(new QLineEdit(this)),
      paired_(new QCheckBox(tr("Equal seeds are pairs"), this)),
      restarts_(new QCheckBox(tr("Lower steps begin another run"), this)),
      problem_(new MessageStrip(this)) {
    setObjectName(QStringLiteral("importDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Import runs"));
    columns_->setRootIsDecorated(false);
    problem_->setObjectName(QStringLiteral("importProblem"));
    source_->setObjectName(QStringLiteral("importSource"));
    source_->setText(tr("Reading %1").arg(QFileInfo(file_).fileName()));
    source_->setToolTip(file_);
    source_->setContentsMargins(px(16), px(12), px(16), 0);
    notes_->setObjectName(QStringLiteral("importNotes"));
    notes_->setWordWrap(true);
    notes_->setContentsMargins(px(16), 0, px(16), 0);
    notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(8));
    column->addWidget(source_);
    column->addWidget(columns_, 3);
    column->addWidget(buildChoices());
    column->addWidget(runs_, 3);
    column->addWidget(notes_);
    column->addWidget(problem_);
    buildButtons(*column);
    showChoice();
    showRuns();
    resize(px(720), px(640));
    connect(&studio.databases(), &Databases::closed, this, [this](int number) {
        if (number == database_) showStore();
    });
    reading_.ask(Pool{}, [path = file_.toStdString()] { return tableOf(path); });
}

QWidget* ImportDialog::buildChoices() {
    box_ = new QWidget(this);
    auto* form = new QFormLayout(box_);
    form->setContentsMargins(px(16), 0, px(16), 0);
    form->setVerticalSpacing(px(6));
    form->setHorizontalSpacing(px(16));
    use_->setObjectName(QStringLiteral("importUse"));
    use_->setAccessibleName(tr("Take the column for"));
    use_->addItems(namesOfUses());
    metric_->setObjectName(QStringLiteral("importMetric"));
    metric_->setAccessibleName(tr("Metric of the column"));
    metric_->setPlaceholderText(tr("metric, as loss or accuracy"));
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    row->addWidget(use_);
    row->addWidget(metric_, 1);
    form->addRow(tr("Take the column for"), row);
    group_->setObjectName(QStringLiteral("importGroup"));
    group_->setAccessibleName(tr("Group of all runs"));
    group_->setPlaceholderText(tr("a name, where no column names the groups"));
    group_->setToolTip(tr("Runs of one group are seeds of one experiment. Heddle cannot know it of runs of other programs."));
    form->addRow(tr("Group of all runs"), group_);
    paired_->setObjectName(QStringLiteral("importPaired"));
    paired_->setToolTip(tr("Runs of two groups with one seed began alike and saw the same data in the same order"));
    restarts_->setObjectName(QStringLiteral("importRestarts"));
    restarts_->setToolTip(tr("The file has the logs of several seeds, one after the other"));
    auto* ticks = new QHBoxLayout;
    ticks->setSpacing(px(16));
    ticks->addWidget(paired_);
    ticks->addWidget(restarts_);
    ticks->addStretch(1);
    form->addRow(QString(), ticks);
    connect(columns_, &QTreeWidget::currentItemChanged, this, &ImportDialog::showChoice);
    connect(use_, &QComboBox::activated, this, [this](int use) { chooseUse(ColumnUse(use)); });
    connect(metric_, &QLineEdit::textEdited, this, &ImportDialog::nameMetric);
    connect(group_, &QLineEdit::textEdited, this, [this](const QString& name) {
        choices_.group = name.trimmed();
        understand(When::Typed);
    });
    connect(paired_, &QCheckBox::toggled, this, [this](bool on) {
        choices_.isPaired = on;
        understand();
    });
    connect(restarts_, &QCheckBox::toggled, this, [this](bool on) {
        choices_.restarts = on;
        understand();
    });
    return box_;
}

void ImportDialog::buildButtons(QVBoxLayout& column) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(16), 0, px(16), px(12));
    row->setSpacing(px(8));
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("importCancel"));
    cancel_->setAutoDefault(false);
    store_ = new QPushButton(this);
    store_->setObjectName(QStringLiteral("importStore"));
    store_->setDefault(true);
    setControlRole(*store_, ControlRole::Primary);
    connect(cancel_, &QPushButton::clicked, this, &QDialog::reject);
    connect(store_, &QPushButton::clicked, this, &ImportDialog::store);
    row->addStretch(1);
    row->addWidget(cancel_);
    row->addWidget(store_);
    column.addLayout(row);
}

void ImportDialog::takeTable(Result<std::shared_ptr<const app::ForeignTable>> table) {
    if (!table) {
        source_->setText(QFileInfo(file_).fileName());
        return showProblem(table.problem());
    }
    table_ = *table;
    //: A file, its format, the numbers of its rows and columns.
    source_->setText(tr("%1: %2, %3, %4")
                         .arg(QFileInfo(file_).fileName(), text(table_->format),
                              tr("%Ln row(s)", nullptr, int(table_->rows.size())),
                              tr("%Ln column(s)", nullptr, int(table_->columns.size()))));
    showColumns();
    columns_->setCurrentItem(columns_->topLevelItem(0));
    columns_->setFocus(Qt::OtherFocusReason);
    understand();
}

void ImportDialog::understand(When when) {
    if (!table_) return;
    understood_.reset();
    store_->setEnabled(false);
    understanding_.cancel();  // its answer would be of other choices
    if (when == When::Typed) return typing_.postpone();
    typing_.cancel();
    interpret();
}

/// Groups are told by hashes of all settings, so that they are found here, too, not on the GUI thread.
void ImportDialog::interpret() {
    understanding_.ask(Pool{}, [table = table_, options = choices_.options()] {
        auto file = std::make_shared<UnderstoodFile>(UnderstoodFile{app::understood(*table, options), {}});
        file->groups = app::groupsOf(file->import);
        return std::shared_ptr<const UnderstoodFile>(std::move(file));
    });
}

void ImportDialog::takeImport(Result<std::shared_ptr<const UnderstoodFile>> understood) {
    if (!understood) return showProblem(understood.problem());
    understood_ = *understood;
    problem_->hide();
    showColumns();
    showRuns();
    showChoice();
}

void ImportDialog::showProblem(const Problem& problem) {
    Problem words = inDialogWords(problem);
    const QString name = QFileInfo(file_).fileName();
    words.where.replace(file_, name);
    //: The place of a problem, and the problem.
    const QString what = words.where.isEmpty() ? words.what : tr("%1: %2").arg(words.where, words.what);
    problem_->showMessage({StripKind::Bad, tr("%1 cannot be imported").arg(name), what + QLatin1Char('\n') + words.next});
    showRuns();
}

void ImportDialog::showColumns() {
    std::map<std::string, std::string> roles;
    if (understood_)
        for (const app::ForeignRole& role : understood_->import.found.roles) roles[role.column] = role.role;
    QList<QTreeWidgetItem*> added;
    for (int i = 0; i < int(table_->columns.size()); ++i) {
        const std::string& name = table_->columns[std::size_t(i)];
        QTreeWidgetItem* item = columns_->topLevelItem(i);
        if (!item) added << (item = new QTreeWidgetItem({text(name), QString(kNoValue)}));
        const auto role = roles.find(name);
        if (understood_) item->setText(1, role == roles.end() ? tr("left out") : text(role->second));
    }
    columns_->addTopLevelItems(added);
}

void ImportDialog::showRuns() {
    runs_->clear();
    showStore();
    QStringList notes;
    if (understood_) {
        const app::ForeignImport& import = understood_->import;
        const std::size_t all = import.found.runs.size();
        for (const std::string& note : import.found.notes) notes << inDialogWords(text(note));
        std::map<std::string, QTreeWidgetItem*> groups;
        for (const app::ForeignGroup& group : understood_->groups) {
            const QString name = group.name.empty() ? tr("no group declared") : text(group.name);
            const QString runs = tr("%Ln run(s)", nullptr, int(group.runs));
            //: The name of a group and the number of its runs.
            groups[group.key] = new QTreeWidgetItem(
                {tr("%1: %2").arg(name, runs), tr("%Ln seed(s)", nullptr, int(group.seeds.size())), QString(), QString()});
            runs_->addTopLevelItem(groups[group.key]);
            if (runs_->topLevelItemCount() == kRunsShown) break;
        }
        for (std::size_t i = 0; i < all && i < kRunsShown; ++i)
            if (const auto group = groups.find(import.groupKeys[i]); group != groups.end())
                group->second->addChild(itemOf(import.found.runs[i]));
        if (all > kRunsShown) notes.prepend(tr("The first %1 runs are shown; all are imported.").arg(count(kRunsShown)));
        runs_->expandAll();
    }
    notes_->setText(notes.join(QLatin1Char('\n')));
    notes_->setVisible(!notes.isEmpty());
}

std::string ImportDialog::column() const {
    QTreeWidgetItem* item = columns_->currentItem();
    return item ? table_->columns[std::size_t(columns_->indexOfTopLevelItem(item))] : "";
}

QString ImportDialog::metricOf(const std::string& column) const {
    if (const auto chosen = choices_.columns.find(column); chosen != choices_.columns.end() && takesMetric(chosen->second.use))
        return chosen->second.metric;
    return text(app::metricOfColumn(column));
}

/// What the selected column is taken for. A field that the user types in stays as it is.
void ImportDialog::showChoice() {
    const std::string chosen = column();
    const ColumnUse use = choices_.useOf(chosen);
    use_->setEnabled(!chosen.empty());
    use_->setCurrentIndex(int(use));
    metric_->setEnabled(takesMetric(use));
    if (!metric_->hasFocus()) metric_->setText(takesMetric(use) ? metricOf(chosen) : QString());
}

void ImportDialog::chooseUse(ColumnUse use) { choose({use, takesMetric(use) ? metricOf(column()) : QString()}, When::Now); }

void ImportDialog::nameMetric(const QString& metric) { choose({choices_.useOf(column()), metric.trimmed()}, When::Typed); }

void ImportDialog::choose(ColumnChoice choice, When when) {
    choices_.choose(column(), std::move(choice));
    showChoice();
    understand(when);
}

void ImportDialog::showStore() {
    const std::size_t all = understood_ ? understood_->import.found.runs.size() : 0;
    const RunDatabase* database = studio_.databases().find(database_);
    store_->setEnabled(all > 0 && database && !isStoring_);
    store_->setToolTip(database ? QString() : tr("The database was closed: open it, and import the file anew"));
    store_->setText(isStoring_  ? tr("Importing…")
                    : !database ? tr("Import")
                                : tr("Import %Ln run(s) into %1", nullptr, int(all)).arg(database->name()));
}

/// The runs that are being stored cannot be called back, and must not be stored twice.
void ImportDialog::setStoring(bool isStoring) {
    isStoring_ = isStoring;
    for (QWidget* part : {box_, static_cast<QWidget*>(columns_), static_cast<QWidget*>(cancel_)}) part->setEnabled(!isStoring);
    showStore();
}

void ImportDialog::reject() {
    if (!isStoring_) QDialog::reject();
}

void ImportDialog::store() {
    if (!understood_ || isStoring_) return;
    const RunDatabase* database = studio_.databases().find(database_);
    if (!database) return showProblem({tr("The database was closed"), {}, {}, tr("Open it, and import the file anew.")});
    setStoring(true);
    problem_->hide();
    const auto imported = std::make_shared<app::ImportedRuns>();
    const auto work = [change = studio_.services().changerOf(database->file()), file = understood_, imported] {
        change([&](storage::RunStore& store) { *imported = app::importForeign(file->import, store); });
    };
    const auto done = [dialog = QPointer<ImportDialog>(this), &studio = studio_, imported, number = database_,
                       name = database->name(), file = file_] {
        const int runs = int(imported->ids.size());
        studio.report(MessageStrip::Message{StripKind::Ok, tr("Imported %Ln run(s) into %1", nullptr, runs).arg(name), file});
        if (!dialog) return;
        std::vector<RunRef> refs;
        for (const std::string& id : imported->ids) refs.emplace_back(number, id);
        dialog->setStoring(false);
        Q_EMIT dialog->imported(refs);
        dialog->accept();
    };
    const auto failed = [dialog = QPointer<ImportDialog>(this), &studio = studio_](const Problem& problem) {
        if (!dialog) return studio.report(problem);
        dialog->setStoring(false);
        dialog->showProblem(problem);
    };
    studio_.commander().run(database_, work, {done, failed});
}

}  // namespace heddle::ui
