// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slurm_jobs.h"

#include "ui/text/utf8.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace heddle::ui {
namespace {

using At = app::SubmittedRun::At;
using SubmissionName = std::pair<int, std::string>;

constexpr int kDatabaseRole = Qt::UserRole, kNameRole = Qt::UserRole + 1;

SubmissionName submissionOf(const QTreeWidgetItem& item) {
    return {item.data(0, kDatabaseRole).toInt(), item.data(0, kNameRole).toString().toStdString()};
}

}  // namespace

SlurmJobsDialog::SlurmJobsDialog(Studio& studio, QWidget* parent)
    : QDialog(parent),
      watcher_(studio.slurm()),
      databases_(studio.databases()),
      tree_(new QTreeWidget(this)),
      problem_(new QLabel(this)) {
    setObjectName(QStringLiteral("slurmJobsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Jobs of Slurm"));
    tree_->setObjectName(QStringLiteral("submissions"));
    tree_->setAccessibleName(tr("Submitted sweeps and studies"));
    tree_->setHeaderLabels({tr("Sweep or study, run"), tr("State"), tr("Node, job or log")});
    tree_->setUniformRowHeights(true);
    tree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    problem_->setObjectName(QStringLiteral("slurmWatchProblem"));
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    cancel_ = addVerb("slurmCancel", tr("Cancel jobs"),
                      tr("Cancel the jobs of the selected sweep or study; what they have trained stays"));
    again_ =
        addVerb("slurmAgain", tr("Submit failed again"),
                tr("Submit those runs of the selected sweep or study that are neither completed nor have a job; they go on "
                   "from their last checkpoints"));
    remove_ = addVerb("slurmRemove", tr("Remove"), tr("Remove the selected sweep or study from this list; its runs stay"));
    update_ = addVerb("slurmUpdate", tr("Update"), tr("Ask Slurm now; otherwise every 15 seconds while jobs wait or run"));
    auto* close = addVerb("slurmClose", tr("Close"), tr("Close this list; the jobs are watched while the window is open"));
    auto* verbs = new QHBoxLayout;
    for (QPushButton* button : {cancel_, again_, remove_}) verbs->addWidget(button);
    verbs->addStretch(1);
    for (QPushButton* button : {update_, close}) verbs->addWidget(button);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tree_, 1);
    column->addWidget(problem_);
    column->addLayout(verbs);
    resize(px(640), px(420));
    connect(cancel_, &QPushButton::clicked, this, [this] { carryOut(&SlurmWatcher::cancel); });
    connect(again_, &QPushButton::clicked, this, [this] { carryOut(&SlurmWatcher::submitAgain); });
    connect(remove_, &QPushButton::clicked, this, [this] { carryOut(&SlurmWatcher::remove); });
    connect(update_, &QPushButton::clicked, &watcher_, &SlurmWatcher::look);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(&watcher_, &SlurmWatcher::changed, this, &SlurmJobsDialog::showAll);
    connect(tree_, &QTreeWidget::currentItemChanged, this, &SlurmJobsDialog::showVerbs);
    showAll();
    watcher_.look();
}

void SlurmJobsDialog::carryOut(void (SlurmWatcher::*verb)(const SlurmWatcher::Listed&)) {
    if (const auto one = current()) (watcher_.*verb)(*one);
}

QPushButton* SlurmJobsDialog::addVerb(const char* name, const QString& text, const QString& tip) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setAutoDefault(false);
    return button;
}

/// Lists all anew; the current one and open branches stay.
void SlurmJobsDialog::showAll() {
    std::set<SubmissionName> folded;
    for (int i = 0; i < tree_->topLevelItemCount(); ++i)
        if (const auto* item = tree_->topLevelItem(i); !item->isExpanded()) folded.insert(submissionOf(*item));
    const auto chosen = current();
    QTreeWidgetItem* row = tree_->currentItem();
    const int place = row && row->parent() ? row->parent()->indexOfChild(row) : -1;
    tree_->clear();
    for (const auto& [database, sweep] : watcher_.all()) {
        const RunDatabase* in = databases_.all().size() > 1 ? databases_.find(database) : nullptr;
        auto* item = new QTreeWidgetItem(
            tree_, {in ? tr("%1, in %2").arg(text(sweep.name), in->name()) : text(sweep.name), summary(sweep), QString()});
        item->setData(0, kDatabaseRole, database);
        item->setData(0, kNameRole, text(sweep.name));
        for (const app::SubmittedRun& run : sweep.runs)
            new QTreeWidgetItem(item, {text(run.title), stateOf(run), text(run.detail)});
        item->setExpanded(!folded.contains({database, sweep.name}));
        if (!chosen || chosen->database != database || chosen->submission.name != sweep.name) continue;
        tree_->setCurrentItem(place >= 0 && place < item->childCount() ? item->child(place) : item);
    }
    if (!tree_->currentItem() && tree_->topLevelItemCount() > 0) tree_->setCurrentItem(tree_->topLevelItem(0));
    const QString problem = watcher_.problem();
    problem_->setText(problem.isEmpty() && tree_->topLevelItemCount() == 0 ? tr("Nothing is submitted.") : problem);
    problem_->setVisible(!problem_->text().isEmpty());
    showVerbs();
}

void SlurmJobsDialog::showVerbs() {
    const auto chosen = current();
    cancel_->setEnabled(chosen && (chosen->submission.hasJobs() || chosen->submission.goesOn));
    again_->setEnabled(chosen && chosen->submission.canSubmit());
    remove_->setEnabled(chosen && chosen->submission.isKept && !chosen->submission.isOpen());
}

std::optional<SlurmWatcher::Listed> SlurmJobsDialog::current() const {
    const QTreeWidgetItem* item = tree_->currentItem();
    if (!item) return std::nullopt;
    const SubmissionName name = submissionOf(item->parent() ? *item->parent() : *item);
    const auto all = watcher_.all();
    const auto found = std::find_if(all.begin(), all.end(), [&](const SlurmWatcher::Listed& one) {
        return SubmissionName(one.database, one.submission.name) == name;
    });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

/// "2 of 6 runs completed, 1 running, 3 queued".
QString SlurmJobsDialog::summary(const app::Submission& sweep) {
    QStringList parts;
    if (sweep.isKept)
        parts << tr("%1 of %Ln run(s) completed", nullptr, int(sweep.runs.size())).arg(sweep.count(At::Completed));
    const auto add = [&](std::size_t count, const QString& words) {
        if (count > 0) parts << words.arg(count);
    };
    add(sweep.count(At::Running) + sweep.count(At::Ended), tr("%1 running"));
    add(sweep.count(At::Queued), tr("%1 queued"));
    add(sweep.count(At::Failed) + sweep.count(At::Lost), tr("%1 failed"));
    return parts.join(QStringLiteral(", "));
}

QString SlurmJobsDialog::stateOf(const app::SubmittedRun& run) {
    switch (run.at) {
    case At::New: return tr("no job");
    case At::Queued: return tr("queued");
    case At::Running: return tr("running");
    case At::Ended: return tr("ended, not yet merged");
    case At::Completed: return tr("completed");
    case At::Failed: return tr("failed");
    case At::Lost: return tr("lost: its job ended first");
    }
    return {};
}

QAction* makeSlurmJobsAction(Studio& studio, QWidget* page) {
    const QString tip = SlurmJobsDialog::tr("What was submitted to Slurm: how its jobs stand; cancel, submit again");
    QAction* action = makeAction(page, {"slurmJobs", SlurmJobsDialog::tr("Slurm jobs…"), {}, {}, tip}, [&studio, page] {
        auto* dialog = page->findChild<SlurmJobsDialog*>();
        if (!dialog) dialog = new SlurmJobsDialog(studio, page);
        dialog->show();
        dialog->raise();
    });
    action->setVisible(studio.slurm().isAvailable());
    return action;
}

}  // namespace heddle::ui
