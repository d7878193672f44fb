// SPDX-License-Identifier: GPL-3.0-or-later
// Every word of the window can be translated: what the running program asks for is what lupdate finds in the sources, and what
// stands on buttons, menus, docks and tabs went through a translation (a pseudo-locale marks what did).
// HEDDLE_PSEUDO=DIR: writes a picture of every page in the pseudo-locale into DIR.
#include "tests/ui/studio/studio_fixture.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/settings_dialog.h"

#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTranslator>
#include <QXmlStreamReader>

#include <mutex>
#include <set>

namespace heddle::studio::test {
namespace {

using Word = std::pair<QString, QString>;  ///< context, source

/// Translates everything: into brackets, and longer.
class PseudoLocale final : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char*, int) const override {
        const QString words = QString::fromUtf8(source);
        if (QLatin1String(context).startsWith(QLatin1String("heddle"))) {
            const std::lock_guard lock(mutex_);
            asked_.insert({QString::fromUtf8(context), words});
        }
        return QStringLiteral("⟦%1%2⟧").arg(words, QString(words.size() * 2 / 5, QLatin1Char('~')));
    }
    std::set<Word> asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::set<Word> asked_;
};

/// What lupdate finds in the sources.
std::set<Word> wordsOfSources() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(text("words.ts")), root = text(HEDDLE_SOURCE_DIR);
    QProcess lupdate;
    lupdate.start(text(HEDDLE_LUPDATE), {text("-silent"), text("-locations"), text("none"), text("-I"), root,
                                         root + text("/ui"), root + text("/app/studio"), text("-ts"), file});
    if (!lupdate.waitForFinished(60'000)) throw std::runtime_error("lupdate does not end");
    QFile written(file);
    if (!written.open(QIODevice::ReadOnly)) throw std::runtime_error("lupdate wrote nothing");
    std::set<Word> words;
    QXmlStreamReader xml(&written);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QLatin1String("name")) context = xml.readElementText();
        if (xml.name() == QLatin1String("source")) words.insert({context, xml.readElementText()});
    }
    return words;
}

/// Words that nobody marked. Keys of a spec (in small letters) and names of runs and files are data.
bool isUntranslated(const QString& words) {
    static const QRegularExpression kWord(text("[A-Za-z]{3,}")), kKey(text("^[a-z_.]+(, [a-z0-9,]+)?$"));
    static const QRegularExpression kData(text("eau|aoa|base|full|sample|heddle|ctrl|alt|from data"),
                                          QRegularExpression::CaseInsensitiveOption);
    return words.contains(kWord) && !words.contains(QChar(0x27E6)) && !words.contains(kKey) && !words.contains(kData);
}

class WordsTest : public StudioFixture {
protected:
    void SetUp() override { QCoreApplication::installTranslator(&pseudo_); }
    void TearDown() override {
        program_.reset();
        QCoreApplication::removeTranslator(&pseudo_);
    }
    QStringList untranslated(QWidget& root) {
        QStringList found;
        const auto look = [&](const QString& words, const char* what) {
            if (isUntranslated(words)) found << QStringLiteral("%1: %2").arg(text(what), words);
        };
        for (const QAction* action : root.findChildren<QAction*>())
            if (!action->isSeparator()) look(action->text(), "action");
        for (const QAbstractButton* button : root.findChildren<QAbstractButton*>()) look(button->text(), "button");
        for (const QDockWidget* dock : root.findChildren<QDockWidget*>()) look(dock->windowTitle(), "dock");
        for (const QLineEdit* field : root.findChildren<QLineEdit*>()) look(field->placeholderText(), "placeholder");
        for (const QTabBar* tabs : root.findChildren<QTabBar*>())
            for (int i = 0; i < tabs->count(); ++i) look(tabs->tabText(i), "tab");
        for (const QWidget* widget : root.findChildren<QWidget*>())
            if (!widget->accessibleName().isEmpty()) look(widget->accessibleName(), "accessible name");
        found.removeDuplicates();
        return found;
    }
    /// Panels of a page that lie over each other, as Qt leaves them where a window is too small for all.
    static QStringList overlaps(const QWidget& page) {
        QList<const QDockWidget*> docks;
        for (const QDockWidget* dock : page.findChildren<QDockWidget*>())
            if (dock->isVisible() && page.rect().intersects(dock->geometry())) docks << dock;  // a hidden tab lies outside
        QStringList found;
        for (int i = 0; i < int(docks.size()); ++i) {
            const QRect own = docks[i]->geometry();
            if (!page.rect().contains(own)) found << docks[i]->windowTitle() + text(" is cut");
            for (int j = 0; j < i; ++j)
                if (own.intersects(docks[j]->geometry()))
                    found << docks[i]->windowTitle() + text(" over ") + docks[j]->windowTitle();
        }
        return found;
    }
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("HEDDLE_PSEUDO");
        if (folder.isEmpty()) return;
        QDir().mkpath(folder);
        window().grab().save(QDir(folder).filePath(name + text(".png")));
    }

    PseudoLocale pseudo_;
};

}  // namespace

TEST_F(WordsTest, AllThatIsShownWasTranslatedUnderAContextThatLupdateFinds) {
    for (const char* name : {"base", "full"}) trained(name, 30);
    start();
    program_->studio().open(QString::fromStdString(file_));
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 2; }));
    for (Page* one : window().pages()) {
        window().showPage(one->id());
        ASSERT_TRUE(settles()) << one->name().toStdString();
        picture(one->name());
    }
    EXPECT_LE(window().minimumWidth(), 1920 / 2);
    window().resize(1024, 640);  // these words are longer than English ones
    for (Page* one : window().pages()) {
        window().showPage(one->id());
        ASSERT_TRUE(settles());
        EXPECT_EQ(window().size(), QSize(1024, 640)) << one->name().toStdString() << " has no room in a small window";
        EXPECT_TRUE(overlaps(*one).isEmpty()) << overlaps(*one).join(QLatin1Char('\n')).toStdString();
        picture(one->name() + text("-small"));
    }
    QStringList cut;
    for (const auto* entry : window().findChildren<QToolButton*>())
        if (controlRole(entry) == ControlRole::Rail && textWidth(entry->text(), typeFont(Type::Body)) > entry->width())
            cut << entry->text();
    EXPECT_TRUE(cut.isEmpty()) << cut.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(untranslated(window()).isEmpty()) << untranslated(window()).join(QLatin1Char('\n')).toStdString();

    const std::set<Word> known = wordsOfSources();
    ASSERT_GT(known.size(), 800U);
    QStringList lost;
    for (const Word& word : pseudo_.asked())
        if (!known.contains(word)) lost << word.first + text(" | ") + word.second;
    EXPECT_TRUE(lost.isEmpty()) << lost.join(QLatin1Char('\n')).toStdString();
}

}  // namespace heddle::studio::test
