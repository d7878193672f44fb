// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrangements of a page's panels, for its tool bar: choose one, keep the present one, forget one.
#pragma once

#include <QWidget>

class QComboBox;
class QSettings;

namespace heddle::ui {

class Page;

class LayoutBox : public QWidget {
    Q_OBJECT

public:
    /// Names are kept below "<page>/layouts". All must outlive the box.
    LayoutBox(Page& page, QSettings& settings, QWidget* parent);

    /// Keeps the page's present arrangement; one of the same name is replaced.
    void keep(const QString& name);
    /// Arranges the page as kept under `name`; an empty or unknown name is the standard arrangement.
    void choose(const QString& name);
    /// Forgets what is kept under `name`; the page stays as it is.
    void forget(const QString& name);
    const QComboBox& box() const { return *box_; }

private:
    void fill();
    void act(int index);
    void ask();
    QString current() const;
    void setCurrent(const QString& name);

    Page& page_;
    QSettings& settings_;
    QComboBox* box_;
};

}  // namespace heddle::ui
