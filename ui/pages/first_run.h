// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace heddle::ui {

class Studio;

/// Makes the card of a page without runs: the reason, and buttons that compose a run, train the sample or go to the Library.
/// `appears` says what the page will show; empty: what comes with a training.
QWidget* makeFirstRunCard(Studio& studio, QWidget* parent, const QString& appears = {});
/// Says in two sentences what the sample is and how long it takes.
QString sampleWords();
/// Queues what packaging/run.sh trains: the plain variant, then the gated one. The window says what fails.
void trainSample(Studio& studio);

}  // namespace heddle::ui
