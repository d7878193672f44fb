// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace heddle::ui {

class Studio;

/// Makes the card of a page without runs: the reason, and buttons that compose a run, train the sample or go to the Library.
/// `appears`: the sentence on what the page will show; empty: curves, attention and gates.
QWidget* makeFirstRunCard(Studio& studio, QWidget* parent, const QString& appears = {});
/// Two sentences: what the sample is, and how long it takes.
QString sampleWords();
/// Queues what packaging/run.sh trains: the plain variant, then the gated one. A failure is reported.
void trainSample(Studio& studio);

}  // namespace heddle::ui
