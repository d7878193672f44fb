// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

namespace heddle::ui {

TEST(PanelNames, EveryClassWithThisNameIsAPanel) {
    static const QRegularExpression kClass(QStringLiteral("^class (\\w*Panel)(?: final)? : public (\\w+)"),
                                           QRegularExpression::MultilineOption);
    QDirIterator files(QStringLiteral(HEDDLE_SOURCE_DIR "/ui"), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                       QDirIterator::Subdirectories);
    int panels = 0;
    while (files.hasNext()) {
        QFile file(files.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        for (const auto& found : kClass.globalMatch(QString::fromUtf8(file.readAll()))) {
            ++panels;
            EXPECT_TRUE(found.captured(1) == QLatin1String("Panel") || found.captured(2).endsWith(QLatin1String("Panel")))
                << file.fileName().toStdString() << ": " << found.captured(1).toStdString();
        }
    }
    EXPECT_GT(panels, 10);
}

}  // namespace heddle::ui
