// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/settings_dialog.h"

#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include <functional>

namespace heddle::ui {
namespace {

constexpr int kRecent = 12;
constexpr QLatin1String kAppearance("appearance"), kMotion("motion"), kHost("engine/host"), kNotifications("notifications"),
    kRecentKey("databases/recent");

QStringList appearances() { return {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")}; }

QLabel* note(const QString& words) {
    auto* label = new QLabel(words);
    label->setWordWrap(true);
    setCaption(*label);
    return label;
}

}  // namespace

Appearance storedAppearance(const QSettings& settings) {
    return Appearance(std::max(0, int(appearances().indexOf(settings.value(kAppearance).toString()))));
}
void storeAppearance(QSettings& settings, Appearance appearance) {
    settings.setValue(kAppearance, appearances().at(int(appearance)));
}
Motion storedMotion(const QSettings& settings) {
    return settings.value(kMotion).toString() == QLatin1String("reduced") ? Motion::Reduced : Motion::Full;
}
EngineHost storedHost(const QSettings& settings) {
    return settings.value(kHost).toString() == QLatin1String("child") ? EngineHost::Child : EngineHost::Thread;
}

void storeHost(QSettings& settings, EngineHost host) {
    settings.setValue(kHost, host == EngineHost::Thread ? QStringLiteral("thread") : QStringLiteral("child"));
}

bool storedNotifications(const QSettings& settings) { return settings.value(kNotifications, true).toBool(); }

QStringList recentDatabases(const QSettings& settings) { return settings.value(kRecentKey).toStringList(); }
void addRecentDatabase(QSettings& settings, const QString& file) {
    QStringList all = recentDatabases(settings);
    all.removeAll(file);
    all.prepend(file);
    settings.setValue(kRecentKey, all.mid(0, kRecent));
}
void removeRecentDatabase(QSettings& settings, const QString& file) {
    QStringList all = recentDatabases(settings);
    all.removeAll(file);
    settings.setValue(kRecentKey, all);
}
void clearRecentDatabases(QSettings& settings) { settings.remove(kRecentKey); }

SettingsDialog::SettingsDialog(QSettings& settings, QWidget* parent) : QDialog(parent), settings_(settings) {
    setWindowTitle(tr("Settings"));
    auto* form = new QFormLayout;
    form->setContentsMargins(px(16), px(16), px(16), px(8));
    form->setVerticalSpacing(px(6));
    form->setHorizontalSpacing(px(16));

    const auto add = [&](const char* id, const QString& name, const QStringList& items, int current,
                         const std::function<void(int)>& choose) {
        auto* box = new QComboBox(this);
        box->setObjectName(QString::fromLatin1(id));
        box->setAccessibleName(name);
        box->addItems(items);
        box->setCurrentIndex(current);
        connect(box, &QComboBox::currentIndexChanged, this, choose);
        form->addRow(name, box);
    };
    add("appearance", tr("Appearance"), {tr("Follow system"), tr("Light"), tr("Dark")}, int(storedAppearance(settings)),
        [this](int index) {
            storeAppearance(settings_, Appearance(index));
            Theme::instance().setAppearance(Appearance(index));
        });
    add("motion", tr("Motion"), {tr("Follow system"), tr("Reduced")}, int(storedMotion(settings)), [this](int index) {
        settings_.setValue(kMotion, index == 0 ? QStringLiteral("system") : QStringLiteral("reduced"));
        Theme::instance().setMotion(Motion(index));
    });
    add("engineHost", tr("Engine host"), {tr("Inside this window"), tr("In a separate process")}, int(storedHost(settings)),
        [this](int index) {
            storeHost(settings_, EngineHost(index));
            Q_EMIT hostChanged();
        });
    form->addRow(QString(), note(tr("The process that trains, from the next run on. A separate process continues when the "
                                    "window is closed; the next window connects to it.")));
    add("notifications", tr("Notifications"), {tr("When a run ends and the window is not active"), tr("Never")},
        storedNotifications(settings) ? 0 : 1, [this](int index) { settings_.setValue(kNotifications, index == 0); });

    auto* clear = new QPushButton(tr("Clear recent databases"));
    clear->setObjectName(QStringLiteral("clearRecent"));
    clear->setAutoDefault(false);
    clear->setEnabled(!recentDatabases(settings).isEmpty());
    connect(clear, &QPushButton::clicked, this, [this, clear] {
        clearRecentDatabases(settings_);
        clear->setEnabled(false);
    });
    form->addRow(tr("History"), clear);
    form->addRow(QString(), note(tr("Clears the list only; no file is deleted.")));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->setContentsMargins(px(16), 0, px(16), px(12));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(form);
    column->addStretch();
    column->addWidget(buttons);
    resize(px(460), sizeHint().height());
}

}  // namespace heddle::ui
