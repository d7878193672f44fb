// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <utility>
#include <vector>

class QGridLayout;
class QLabel;

namespace heddle::ui {

/// Rows of a name and a value; long values wrap.
class FactList : public QWidget {
    Q_OBJECT

public:
    explicit FactList(QWidget* parent = nullptr);

    void add(const QString& name, const QString& value);
    void clear();
    /// The rows as texts: "Schema version 1".
    QStringList lines() const;

private:
    QGridLayout* grid_;
    std::vector<std::pair<QLabel*, QLabel*>> rows_;
};

}  // namespace heddle::ui
