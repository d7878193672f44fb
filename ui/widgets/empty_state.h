// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says when there is no run: what will appear and from where, and the next step.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace heddle::ui {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    /// `appears`: a sentence on what the page will show; empty: what comes with a training.
    explicit EmptyState(QWidget* parent, const QString& appears = {});

    /// Whether a database is open at all.
    enum class Reason { NoDatabase, NoRuns };
    void setReason(Reason reason);
    /// Says in two sentences what the sample is and how long it takes.
    static QString sampleWords();

Q_SIGNALS:
    void composeRequested();
    void sampleRequested();
    void libraryRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QString appears_;
    QLabel *title_, *text_;
    QPushButton *compose_, *sample_, *library_;
};

}  // namespace heddle::ui
