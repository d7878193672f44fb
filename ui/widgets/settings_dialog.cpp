// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/settings_dialog.h"

#include "ui/theme/controls.h"
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

    const auto add = [&](const QString& name, const QStringList& words, int current, const std::function<void(int)>& choose) {
        auto* box = new QComboBox(this);
        box->setAccessibleName(name);
        box->addItems(words);
        box->setCurrentIndex(current);
        connect(box, &QComboBox::currentIndexChanged, this, choose);
        form->addRow(name, box);
    };
    add(tr("Appearance"), {tr("As the system"), tr("Light"), tr("Dark")}, int(storedAppearance(settings)), [this](int index) {
        storeAppearance(settings_, Appearance(index));
        Theme::instance().setAppearance(Appearance(index));
    });
    add(tr("Motion"), {tr("As the system"), tr("Reduced")}, int(storedMotion(settings)), [this](int index) {
        settings_.setValue(kMotion, index == 0 ? QStringLiteral("system") : QStringLiteral("reduced"));
        Theme::instance().setMotion(Motion(index));
    });
    add(tr("Engine host"), {tr("Inside this window"), tr("In a separate process")}, int(storedHost(settings)),
        [this](int index) {
            storeHost(settings_, EngineHost(index));
            Q_EMIT hostChanged();
        });
    form->addRow(QString(), note(tr("Which process trains, from the next run on. A separate process continues when the window "
                                    "is closed; the next window finds it again.")));
    add(tr("Notifications"), {tr("When a run ends and the window is not active"), tr("Never")},
        storedNotifications(settings) ? 0 : 1, [this](int index) { settings_.setValue(kNotifications, index == 0); });

    auto* clear = new QPushButton(tr("Clear recent databases"));
    clear->setAutoDefault(false);
    clear->setEnabled(!recentDatabases(settings).isEmpty());
    connect(clear, &QPushButton::clicked, this, [this, clear] {
        clearRecentDatabases(settings_);
        clear->setEnabled(false);
    });
    form->addRow(tr("History"), clear);
    form->addRow(QString(), note(tr("Clears only the list; the files stay.")));

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
