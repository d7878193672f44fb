// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences below each other, each with an icon.
#pragma once

#include "ui/theme/tokens.h"

#include <QLabel>
#include <QWidget>

#include <vector>

class QGridLayout;

namespace heddle::ui {

struct Note {
    Icon icon;
    Token colour;
    QString text;
    bool operator==(const Note&) const = default;
};

class NoteList : public QWidget {
    Q_OBJECT

public:
    /// `title` stands above the sentences; without sentences nothing is shown.
    NoteList(const QString& title, QWidget* parent);

    void setNotes(std::vector<Note> notes);
    const std::vector<Note>& notes() const { return notes_; }

private:
    std::vector<Note> notes_;
    QGridLayout* rows_;
};

/// A label whose text is broken into lines and can be selected.
QLabel* makeText(QWidget* parent);
/// The heading of a part of a panel.
QLabel* makeHeading(const QString& text, QWidget* parent);

}  // namespace heddle::ui
