// SPDX-License-Identifier: GPL-3.0-or-later
// heddle-kit DIR: writes a picture of every sheet, light and dark, as NAME-THEME@SCALE.png. The scale is that of the process:
// QT_SCALE_FACTOR=2 heddle-kit DIR.
#include "tests/ui/kit/sheets.h"
#include "tests/ui/support/offscreen.h"
#include "ui/theme/theme.h"

#include <QDir>

#include <cstdio>

using namespace heddle::ui;

int main(int argc, char** argv) {
    if (argc != 2 || argv[1][0] == '-') {
        std::fputs("usage: heddle-kit DIR\n", stderr);
        return 2;
    }
    const auto application = test::makeApplication(argc, argv);
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    if (!folder.mkpath(QStringLiteral("."))) {
        std::fprintf(stderr, "heddle-kit: %s cannot be made: name a folder that can be written\n", argv[1]);
        return 1;
    }
    bool written = true;
    for (const auto& [appearance, name] : {std::pair(Appearance::Light, "light"), std::pair(Appearance::Dark, "dark")}) {
        Theme::instance().setAppearance(appearance);
        for (const auto& [sheetName, make] : test::sheets()) {
            const std::unique_ptr<QWidget> sheet = make();
            sheet->show();
            sheet->activateWindow();
            test::settle(*sheet);
            const QString file =
                QStringLiteral("%1-%2@%3.png").arg(sheetName, QLatin1String(name)).arg(sheet->devicePixelRatioF());
            written = sheet->grab().save(folder.filePath(file)) && written;
        }
    }
    return written ? 0 : 1;
}
