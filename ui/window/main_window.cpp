// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "ui/theme/type.h"
#include "ui/widgets/message_list.h"
#include "ui/widgets/small_parts.h"
#include "ui/window/command_palette.h"
#include "ui/window/rail.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include <utility>

namespace heddle::ui {
namespace {

constexpr QLatin1String kGeometry("window/geometry"), kPage("window/page"), kLastRun("window/run");

bool holds(const QWidget* place, const QWidget* widget) { return widget && (place == widget || place->isAncestorOf(widget)); }

bool isInToolBar(const QWidget* widget) {
    while (widget && !qobject_cast<const QToolBar*>(widget)) widget = widget->parentWidget();
    return widget != nullptr;
}

/// The first widget in `place` (or `place` itself), in Tab order, that can have the focus. No widget of a tool bar: a box there
/// would take the keys of the page as text.
QWidget* firstFocusable(QWidget* place) {
    QWidget* next = place;
    do {
        const bool canHaveFocus = next->isVisible() && next->isEnabled() && (next->focusPolicy() & Qt::TabFocus);
        if (canHaveFocus && holds(place, next) && !isInToolBar(next)) return next;
        next = next->nextInFocusChain();
    } while (next != place);
    return nullptr;
}

QStringList droppedFiles(const QMimeData& data) {
    QStringList files;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) files << url.toLocalFile();
    return files;
}

}  // namespace

MainWindow::MainWindow(Studio& studio, const QList<Page*>& pages, QWidget* parent)
    : QMainWindow(parent),
      studio_(studio),
      pages_(pages),
      rail_(new Rail(this)),
      stack_(new QStackedWidget(this)),
      messages_(new MessageList(this)),
      status_(new StatusLine(studio, this)),
      palette_(new CommandPalette(this)) {
    setObjectName(QStringLiteral("window"));
    setAcceptDrops(true);
    auto* middle = new QWidget(this);
    QVBoxLayout* column = makeColumn(middle);
    column->addWidget(messages_);
    column->addWidget(stack_, 1);
    setCentralWidget(middle);
    setStatusBar(status_);
    for (Page* page : pages_) stack_->addWidget(page);
    buildRail();
    buildMenus();
    connect(&studio_, &Studio::currentRunChanged, &saveSoon_, &CoalescingTimer::request);
    connect(&studio_, &Studio::pageRequested, this, &MainWindow::showPage);
    connect(&studio_, &Studio::messageRequested, messages_, &MessageList::showMessage);
    connect(messages_, &MessageList::focusReleased, this, &MainWindow::focusPage);
    connect(&studio_.databases(), &Databases::currentChanged, this, &MainWindow::updateTitle);
    connect(&studio_.databases(), &Databases::closed, this, &MainWindow::updateTitle);
    connect(&studio_.databases(), &Databases::opened, this, [this] {
        updateTitle();
        // Only for the first database: the run that the user chose last goes before the pages' own choice.
        if (const Run* last = studio_.databases().runWithId(std::exchange(lastRun_, {}))) studio_.setCurrentRun(last->ref);
    });
    const QSize screen = QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->availableSize() : QSize();
    const QSize least(px(960), px(600));  // fits half a screen of 1920 pixels
    setMinimumSize(least.boundedTo(screen.isEmpty() ? least : screen));
    resize(QSize(px(1440), px(900)).boundedTo(screen.isEmpty() ? QSize(px(1440), px(900)) : screen));
    if (!pages_.isEmpty()) showPage(pages_.first()->id());
    updateTitle();
}

void MainWindow::buildRail() {
    addToolBar(Qt::LeftToolBarArea, rail_);
    for (qsizetype i = 0; i < pages_.size(); ++i) {
        QAction* entry = rail_->addEntry(pages_[i]->name(), pages_[i]->icon(), pages_[i]->title());
        entry->setShortcut(QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + int(i))));
        //: A page and its keys: "Watch (Ctrl+2)".
        entry->setToolTip(tr("%1 (%2)").arg(entry->text(), entry->shortcut().toString(QKeySequence::NativeText)));
        connect(entry, &QAction::triggered, this, [this, i] { showPage(pages_[i]->id()); });
        entries_.append(entry);
    }
}

Page* MainWindow::shownPage() const { return qobject_cast<Page*>(stack_->currentWidget()); }

void MainWindow::showPage(PageId id) {
    for (qsizetype i = 0; i < pages_.size(); ++i)
        if (pages_[i]->id() == id) {
            entries_[i]->setChecked(true);
            setShownPage(pages_[i]);
        }
}

void MainWindow::setShownPage(Page* page) {
    Page* before = shownPage();
    // Otherwise Qt moves the focus to the first widget of the new page, a box that takes keys as text.
    if (before && before != page && holds(before, QApplication::focusWidget())) setFocus(Qt::OtherFocusReason);
    stack_->setCurrentWidget(page);
    if (before && before != page) {
        before->setShown(false);
        messages_->removeTransient();
    }
    page->setShown(true);
    if (QApplication::focusWidget() == this)  // the page gets the focus back when it is shown
        if (QWidget* last = page->focusWidget() ? page->focusWidget() : firstFocusable(page))
            last->setFocus(Qt::OtherFocusReason);
    fillPageMenus();
    updateTitle();
    if (isVisible()) saveSoon_.request();
}

void MainWindow::stepPage(int by) {
    const int pages = int(pages_.size());
    if (pages > 0) showPage(pages_[(stack_->currentIndex() + by + pages) % pages]->id());
}

/// Moves the focus to the next dock of the page; the central widget counts as a dock.
void MainWindow::stepDock(int by) {
    Page* page = shownPage();
    if (!page) return;
    QList<QWidget*> places;
    if (page->centralWidget()) places.append(page->centralWidget());
    for (QDockWidget* dock : page->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (dock->isVisible() && dock->widget()) places.append(dock);
    if (places.isEmpty()) return;
    const QWidget* focused = QApplication::focusWidget();
    int at = by > 0 ? -1 : 0;
    for (int i = 0; i < places.size(); ++i)
        if (holds(places[i], focused)) at = i;
    for (int tried = 0; tried < places.size(); ++tried) {
        at = (at + by + int(places.size())) % int(places.size());
        if (auto* dock = qobject_cast<QDockWidget*>(places[at])) dock->raise();
        if (QWidget* target = firstFocusable(places[at])) return target->setFocus(Qt::TabFocusReason);
    }
}

/// Moves the focus to the widget of the page that had it last, unless the page has the focus.
void MainWindow::focusPage() {
    Page* page = shownPage();
    if (!page || holds(page, QApplication::focusWidget())) return;
    QWidget* last = page->focusWidget();
    if (QWidget* target = last && last->isVisible() ? last : firstFocusable(page)) target->setFocus(Qt::OtherFocusReason);
}

void MainWindow::updateTitle() {
    const RunDatabase* current = studio_.databases().current();
    if (!current) return setWindowTitle(tr("Heddle"));
    const int others = int(studio_.databases().all().size()) - 1;
    const QString name = others > 0 ? tr("%1 and %Ln more", nullptr, others).arg(current->name()) : current->name();
    //: The page and the database.
    setWindowTitle(tr("%1 – %2 – Heddle").arg(shownPage() ? shownPage()->title() : QString(), name));
}

/// While the window is not visible, databases are polled less often.
void MainWindow::updateWatched() { studio_.databases().setWatched(isVisible() && !isMinimized()); }

void MainWindow::saveSession() const {
    QSettings& settings = studio_.settings();
    settings.setValue(kGeometry, saveGeometry());
    if (const Page* page = shownPage()) settings.setValue(kPage, page->name());
    if (!studio_.currentRun().empty()) settings.setValue(kLastRun, QString::fromStdString(studio_.currentRun().id));
    for (const Page* page : pages_) page->saveSession(settings);
}

void MainWindow::restoreSession() {
    QSettings& settings = studio_.settings();
    restoreGeometry(settings.value(kGeometry).toByteArray());
    lastRun_ = settings.value(kLastRun).toString().toStdString();
    for (Page* page : pages_) page->restoreSession(settings);
    for (const Page* page : pages_)
        if (page->name() == settings.value(kPage).toString()) return showPage(page->id());
}

void MainWindow::closeNow() {
    mayClose_ = true;
    close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveSession();
    for (const Page* page : pages_) page->saveDocuments(studio_.settings());
    studio_.settings().sync();
    if (mayClose_) return event->accept();
    event->ignore();
    Q_EMIT closeRequested();
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::WindowStateChange || event->type() == QEvent::ActivationChange) updateWatched();
    QMainWindow::changeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFiles(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

/// Opens the first database instead of what is open, the others beside it. Files without a database among them are imported;
/// with one among them they are named, since it is not known yet whether it can be opened.
void MainWindow::dropEvent(QDropEvent* event) {
    const QStringList files = droppedFiles(*event->mimeData());
    QStringList databases, others;
    for (const QString& file : files) (file.endsWith(QLatin1String(".heddle")) ? databases : others) << file;
    if (databases.isEmpty()) return studio_.importRuns(files);
    for (qsizetype i = 0; i < databases.size(); ++i) i == 0 ? studio_.open(databases[i]) : studio_.openBeside(databases[i]);
    if (!others.isEmpty())
        studio_.report(
            MessageStrip::Message{StripKind::Info, tr("Only run databases were opened; the other files were not imported"),
                                  others.join(QLatin1Char('\n')) + QLatin1Char('\n') +
                                      tr("Drop them again without a database to import them into the current one.")});
}

}  // namespace heddle::ui
