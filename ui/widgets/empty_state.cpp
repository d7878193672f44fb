// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace heddle::ui {

EmptyState::EmptyState(QWidget* parent, const QString& appears)
    : QWidget(parent),
      appears_(appears.isEmpty() ? tr("Curves, attention and gates appear here as soon as it or another run of this database "
                                      "writes its first step.")
                                 : appears),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      compose_(new QPushButton(tr("Compose a run"), this)),
      sample_(new QPushButton(tr("Train the sample"), this)),
      library_(new QPushButton(tr("Open another database"), this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    title_->setFont(strongFont(Type::KeyFigure));
    text_->setForegroundRole(QPalette::PlaceholderText);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setMaximumWidth(px(460));
    setControlRole(*compose_, ControlRole::Primary);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(compose_);
    buttons->addWidget(sample_);
    buttons->addWidget(library_);
    buttons->addStretch();
    auto* column = new QVBoxLayout(this);
    column->setSpacing(px(8));
    column->addWidget(title_);
    column->addWidget(text_);
    column->addSpacing(px(4));
    column->addLayout(buttons);
    column->addStretch();
    connect(compose_, &QPushButton::clicked, this, &EmptyState::composeRequested);
    sample_->setToolTip(sampleWords());
    connect(sample_, &QPushButton::clicked, this, &EmptyState::sampleRequested);
    connect(library_, &QPushButton::clicked, this, &EmptyState::libraryRequested);
    setReason(Reason::NoDatabase);
}

/// A low card keeps its words and buttons whole: wider lines, less air.
void EmptyState::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool isLow = height() < px(300);
    layout()->setContentsMargins(px(isLow ? 24 : 48), px(isLow ? 12 : 64), px(isLow ? 24 : 48), px(isLow ? 12 : 48));
    text_->setMaximumWidth(px(isLow ? 720 : 460));
}

QString EmptyState::sampleWords() {
    return tr(
        "The sample trains two small translation models, one plain and one gated, on a corpus that comes with Heddle. "
        "It takes about a minute on two processor cores and needs no GPU.");
}

void EmptyState::setReason(Reason reason) {
    const bool noRuns = reason == Reason::NoRuns;
    title_->setText(noRuns ? tr("No runs in this database yet") : tr("No database is open"));
    text_->setText(noRuns ? sampleWords() + QLatin1Char(' ') + appears_
                          : tr("Open or create a run database in the Library; runs that are trained into it are shown here."));
    compose_->setVisible(noRuns);
    sample_->setVisible(noRuns);
    library_->setText(noRuns ? tr("Open another database") : tr("Go to the Library"));
}

}  // namespace heddle::ui
