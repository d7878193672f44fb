// SPDX-License-Identifier: GPL-3.0-or-later
// Choices of the user that a page or a panel stores in the settings.
#pragma once

#include <QString>
#include <QVariant>

#include <functional>
#include <vector>

class QAction;
class QSettings;

namespace heddle::ui {

class Segments;

class StoredChoices {
public:
    /// Stores what `read` returns under `key`; calls `write` with the stored value, if there is one.
    void add(const QString& key, std::function<QVariant()> read, std::function<void(const QVariant&)> write);
    void add(const QString& key, QAction& checkable);
    void add(const QString& key, Segments& choice);
    template <class T>
    void add(const QString& key, T& value) {
        add(
            key, [&value] { return QVariant(value); }, [&value](const QVariant& stored) { value = stored.value<T>(); });
    }
    void save(QSettings& settings) const;
    void restore(const QSettings& settings) const;

private:
    struct Choice {
        QString key;
        std::function<QVariant()> read;
        std::function<void(const QVariant&)> write;
    };
    std::vector<Choice> choices_;
};

}  // namespace heddle::ui
