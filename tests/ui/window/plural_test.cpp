// SPDX-License-Identifier: GPL-3.0-or-later
// "1 run", "2 runs": every string with a number has a singular and a plural, and they are the ones shown.
#include "tests/ui/support/offscreen.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include <gmock/gmock.h>

using heddle::ui::test::text;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

QString contents(const QString& name) {
    QFile file(name);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name.toStdString();
    return QString::fromUtf8(file.readAll());
}

struct Message {
    QByteArray context, source;
    QStringList forms;
    bool unfinished = false;
};

QList<Message> messages() {
    QXmlStreamReader xml(contents(text(HEDDLE_SOURCE_DIR "/ui/translations/heddle_en.ts")));
    QList<Message> all;
    QByteArray context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == text("name")) context = xml.readElementText().toUtf8();
        if (xml.name() == text("source")) all << Message{context, xml.readElementText().toUtf8(), {}, false};
        if (xml.name() == text("translation")) all.last().unfinished = xml.attributes().hasAttribute(text("type"));
        if (xml.name() == text("numerusform")) all.last().forms << xml.readElementText();
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    return all;
}

/// The literals with %n or %Ln in the sources, adjacent ones joined.
QStringList plurals() {
    static const QRegularExpression literals(text(R"re((?:"(?:[^"\\\n]|\\.)*"\s*)+)re")), seam(text(R"re("\s*")re"));
    QStringList found;
    for (const char* folder : {"/ui", "/app/studio"}) {
        QDirIterator files(text(HEDDLE_SOURCE_DIR) + text(folder), {text("*.cpp"), text("*.h")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            auto matches = literals.globalMatch(contents(files.next()));
            while (matches.hasNext()) {
                QString words = matches.next().captured().trimmed().replace(seam, QString()).replace(text("\\\""), text("\""));
                words = words.mid(1, words.size() - 2);
                if (words.contains(text("%n")) || words.contains(text("%Ln"))) found << words;
            }
        }
    }
    return found;
}

}  // namespace

TEST(Plurals, EveryStringWithANumberHasBothForms) {
    const QList<Message> all = messages();
    QStringList known;
    for (const Message& message : all) {
        known << QString::fromUtf8(message.source);
        EXPECT_THAT(message.forms, SizeIs(2)) << message.source.toStdString();
        EXPECT_FALSE(message.unfinished) << message.source.toStdString();
        for (const QString& form : message.forms) {
            EXPECT_TRUE(form.contains(text("%Ln")) || form.contains(text("%n"))) << form.toStdString();
            EXPECT_FALSE(form.contains(text("(s)"))) << form.toStdString();
        }
    }
    const QStringList wanted = plurals();
    EXPECT_GT(wanted.size(), 20);
    for (const QString& source : wanted)
        EXPECT_TRUE(known.contains(source)) << source.toStdString() << ": ninja heddle_update_words, then write its forms";
}

TEST(Plurals, TheFormsThatAreWrittenAreShown) {
    for (const Message& message : messages())
        for (const int n : {1, 2, 0, 1234}) {
            QString form = message.forms.value(n == 1 ? 0 : 1);
            form.replace(text("%Ln"), n == 1234 ? text("1,234") : QString::number(n)).replace(text("%n"), QString::number(n));
            EXPECT_EQ(QCoreApplication::translate(message.context, message.source, nullptr, n).toStdString(),
                      form.toStdString());
        }
    EXPECT_EQ(QCoreApplication::translate("heddle::ui::LibraryRuns", "%Ln run(s)", nullptr, 1), text("1 run"));
    EXPECT_EQ(QCoreApplication::translate("heddle::ui::LibraryRuns", "%Ln run(s)", nullptr, 2), text("2 runs"));
}
