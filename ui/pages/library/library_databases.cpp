// SPDX-License-Identifier: GPL-3.0-or-later
// LibraryPage: the list of databases, and the check of the current one.
#include "ui/pages/library/library_page.h"
#include "ui/pages/library/run_panel.h"
#include "ui/threads/background.h"
#include "ui/widgets/settings_dialog.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QListView>

namespace heddle::ui {
namespace {

/// The key of the result of a database's last check.
QString verifiedKey(const QString& file) {
    return QStringLiteral("library/verified/") + QString::fromLatin1(file.toUtf8().toHex().right(200));
}

}  // namespace

void LibraryPage::chooseFile(OpenMode mode) {
    const bool create = mode == OpenMode::Create;
    const QString title = create                     ? tr("New database")
                          : mode == OpenMode::Beside ? tr("Open database beside")
                                                     : tr("Open database");
    auto* dialog = new QFileDialog(this, title, QFileInfo(studio().databases().currentFile()).path(),
                                   tr("Run databases (*.heddle);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(create ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setAcceptMode(create ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
    if (create) {
        dialog->setDefaultSuffix(QStringLiteral("heddle"));
        dialog->setOption(QFileDialog::DontConfirmOverwrite);  // an existing database is opened, not overwritten
    }
    connect(dialog, &QFileDialog::fileSelected, this, [this, mode](const QString& file) { Q_EMIT openRequested(file, mode); });
    dialog->open();
}

DatabaseEntry::Kind LibraryPage::chosenKind() const {
    return DatabaseEntry::Kind(databaseView_->currentIndex().data(DatabaseListModel::KindRole).toInt());
}

QString LibraryPage::chosenFile() const { return databaseView_->currentIndex().data(DatabaseListModel::FileRole).toString(); }

void LibraryPage::openChosen() {
    const auto kind = chosenKind();
    if (kind == DatabaseEntry::Kind::Recent) Q_EMIT openRequested(chosenFile(), OpenMode::Existing);
    if (kind == DatabaseEntry::Kind::Missing) locateChosen();
    if (const RunDatabase* open = chosenDatabase()) studio().databases().setCurrent(open->number());
}

/// Asks for a file unless a recent database is chosen.
void LibraryPage::openChosenBeside() {
    if (chosenKind() != DatabaseEntry::Kind::Recent) return chooseFile(OpenMode::Beside);
    Q_EMIT openRequested(chosenFile(), OpenMode::Beside);
}

/// Training in it goes on.
void LibraryPage::closeChosen() {
    if (const RunDatabase* open = chosenDatabase()) studio().databases().close(open->number());
}

RunDatabase* LibraryPage::chosenDatabase() const {
    const QString file = chosenFile();
    for (RunDatabase* open : studio().databases().all())
        if (open->file() == file && !file.isEmpty()) return open;
    return nullptr;
}

/// Asks where a recent database is now, from the nearest folder that is still there.
void LibraryPage::locateChosen() {
    const QString missing = chosenFile();
    QFileInfo folder(QFileInfo(missing).path());
    while (!folder.isDir() && !folder.isRoot()) folder = QFileInfo(folder.path());
    auto* dialog = new QFileDialog(this, tr("Where is %1 now?").arg(QFileInfo(missing).fileName()), folder.filePath(),
                                   tr("Run databases (*.heddle);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, missing](const QString& found) { replaceWith(missing, found); });
    dialog->open();
}

/// Opens what was found; the entry of the missing file is removed once that is open.
void LibraryPage::replaceWith(const QString& missing, const QString& found) {
    auto* waiting = new QObject(this);
    connect(&studio().databases(), &Databases::failed, waiting, &QObject::deleteLater);
    connect(&studio().databases(), &Databases::opened, waiting, [this, waiting, missing, found] {
        waiting->deleteLater();
        if (QFileInfo(studio().databases().currentFile()) != QFileInfo(found)) return;
        removeRecentDatabase(studio().settings(), missing);
        databasesRefresh_.request();
    });
    Q_EMIT openRequested(found, OpenMode::Existing);
}

void LibraryPage::removeChosen() {
    removeRecentDatabase(studio().settings(), chosenFile());
    databasesRefresh_.request();
}

void LibraryPage::readVerified() {
    const QVariantList stored = studio().settings().value(verifiedKey(studio().databases().currentFile())).toList();
    VerifiedFacts facts;
    if (stored.size() == 6) {
        facts.at = stored[0].toDouble();
        facts.records = stored[1].toLongLong();
        facts.damaged = stored[2].toLongLong();
        facts.files = stored[3].toLongLong();
        facts.wrongFiles = stored[4].toLongLong();
        facts.problems = stored[5].toStringList();
    }
    details_->showVerified(facts);
}

void LibraryPage::startVerify() {
    const QString file = studio().databases().currentFile();
    if (file.isEmpty() || job_) return;
    job_ = std::make_shared<VerifyJob>();
    details_->showProgress(0, 1);
    progressTimer_.start();
    updateActions();
    inBackground(
        this, [file, job = job_] { return verify(file, *job); },
        [this, file](const std::optional<VerifiedFacts>& facts) {
            if (facts)
                studio().settings().setValue(verifiedKey(file),
                                             QVariantList{facts->at, qint64(facts->records), qint64(facts->damaged),
                                                          qint64(facts->files), qint64(facts->wrongFiles), facts->problems});
            endVerify();
        },
        [this](const Problem& problem) {
            endVerify();
            studio().report(problem);
        });
}

void LibraryPage::endVerify() {
    job_.reset();
    progressTimer_.stop();
    details_->showProgress(0, 0);
    readVerified();
    updateActions();
}

}  // namespace heddle::ui
