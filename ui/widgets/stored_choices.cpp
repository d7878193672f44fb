// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stored_choices.h"

#include "ui/widgets/segments.h"

#include <QAction>
#include <QSettings>

#include <utility>

namespace heddle::ui {

void StoredChoices::add(const QString& key, std::function<QVariant()> read, std::function<void(const QVariant&)> write) {
    choices_.push_back({key, std::move(read), std::move(write)});
}

void StoredChoices::add(const QString& key, QAction& checkable) {
    add(
        key, [&checkable] { return checkable.isChecked(); },
        [&checkable](const QVariant& stored) { checkable.setChecked(stored.toBool()); });
}

void StoredChoices::add(const QString& key, Segments& choice) {
    add(
        key, [&choice] { return choice.current(); }, [&choice](const QVariant& stored) { choice.setCurrent(stored.toInt()); });
}

void StoredChoices::save(QSettings& settings) const {
    for (const Choice& choice : choices_) settings.setValue(choice.key, choice.read());
}

void StoredChoices::restore(const QSettings& settings) const {
    for (const Choice& choice : choices_)
        if (const QVariant stored = settings.value(choice.key); stored.isValid()) choice.write(stored);
}

}  // namespace heddle::ui
