// SPDX-License-Identifier: GPL-3.0-or-later
// Named layouts of a page's panels, in its tool bar: apply one, save the current one, delete one.
#pragma once

#include <QWidget>

class QComboBox;
class QSettings;

namespace heddle::ui {

class Page;

class LayoutBox : public QWidget {
    Q_OBJECT

public:
    /// Layouts are stored below "<page>/layouts". All must outlive the box.
    LayoutBox(Page& page, QSettings& settings, QWidget* parent);

    /// Saves the page's current arrangement; a layout of the same name is replaced.
    void save(const QString& name);
    /// Arranges the page as saved under `name`; an empty or unknown name is the standard layout.
    void apply(const QString& name);
    /// Deletes the layout `name`; the page stays as it is.
    void remove(const QString& name);
    const QComboBox& box() const { return *box_; }

private:
    void fill();
    void carryOut(int index);
    void askForName();
    QString current() const;
    void setCurrent(const QString& name);

    Page& page_;
    QSettings& settings_;
    QComboBox* box_;
};

}  // namespace heddle::ui
