// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sentence_panel.h"

#include "ui/theme/controls.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTextDocumentFragment>

#include <vector>

namespace heddle::ui {
namespace {

constexpr int kBeam = 4;

QString line(const QString& title, const QString& text) {
    if (text.isEmpty()) return {};
    return QStringLiteral("<p style='margin:0 0 6px 0'><span style='color:%1'>%2</span><br>%3</p>")
        .arg(Theme::color(Token::Text2).name(), title.toHtmlEscaped(), text);
}

}  // namespace

QString withDifferences(const QString& words, const QString& reference) {
    const QStringList a = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QStringList b = reference.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto rows = std::size_t(a.size() + 1), columns = std::size_t(b.size() + 1);
    std::vector<int> common(rows * columns);  // of the ends from here on
    for (std::size_t i = rows - 1; i-- > 0;)
        for (std::size_t j = columns - 1; j-- > 0;)
            common[i * columns + j] = a[qsizetype(i)] == b[qsizetype(j)]
                                          ? common[(i + 1) * columns + j + 1] + 1
                                          : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
    QStringList made;
    std::size_t j = 0;
    for (std::size_t i = 0; i + 1 < rows; ++i) {
        while (j + 1 < columns && a[qsizetype(i)] != b[qsizetype(j)] &&
               common[i * columns + j + 1] > common[(i + 1) * columns + j])
            ++j;
        const bool isEqual = j + 1 < columns && a[qsizetype(i)] == b[qsizetype(j)];
        if (isEqual) ++j;
        const QString word = a[qsizetype(i)].toHtmlEscaped();
        made << (isEqual ? word : QStringLiteral("<u style='color:%1'>%2</u>").arg(Theme::color(Token::Bad).name(), word));
    }
    return made.join(QLatin1Char(' '));
}

SentencePanel::SentencePanel(QWidget* parent)
    : QWidget(parent),
      title_(new PanelTitle(tr("Probe sentences"), this)),
      probes_(new QListWidget(this)),
      text_(new QLineEdit(this)),
      search_(new QComboBox(this)),
      run_(new QPushButton(tr("Run"), this)),
      output_(new QLabel(this)) {
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(title_);
    probes_->setAccessibleName(tr("Probe sentences"));
    probes_->setFrameShape(QFrame::NoFrame);
    probes_->setUniformItemSizes(true);
    probes_->setTextElideMode(Qt::ElideRight);
    probes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    probes_->setMinimumHeight(px(72));
    column->addWidget(probes_, 1);

    column->addWidget(new PanelTitle(tr("Try a sentence"), this));
    auto* form = new QWidget(this);
    auto* rows = new QVBoxLayout(form);
    rows->setContentsMargins(px(8), px(6), px(8), px(8));
    text_->setAccessibleName(tr("A sentence for the model"));
    text_->setPlaceholderText(tr("A sentence for the model"));
    text_->setClearButtonEnabled(true);
    search_->addItem(tr("greedy"));
    search_->addItem(tr("beam of %1").arg(kBeam));
    search_->setAccessibleName(tr("Search"));
    setControlRole(*run_, ControlRole::Small);
    auto* below = new QHBoxLayout;
    below->addWidget(search_);
    below->addStretch();
    below->addWidget(run_);
    rows->addWidget(text_);
    rows->addLayout(below);
    column->addWidget(form);

    column->addWidget(new PanelTitle(tr("Output"), this));
    output_->setWordWrap(true);
    output_->setMargin(px(8));
    output_->setAlignment(Qt::AlignTop);
    output_->setTextFormat(Qt::RichText);
    output_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    output_->setAccessibleName(tr("Output"));
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(output_);
    scroll->setAccessibleName(tr("Output"));
    column->addWidget(scroll, 2);

    connect(probes_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0) return;
        wished_ = row;
        freeText_.clear();
        Q_EMIT sentenceChanged();
    });
    connect(run_, &QPushButton::clicked, this, &SentencePanel::runFree);
    connect(text_, &QLineEdit::returnPressed, this, &SentencePanel::runFree);
}

QWidget* SentencePanel::titleRow() const { return title_; }

void SentencePanel::runFree() {
    const QString text = text_->text().trimmed();
    if (text.isEmpty() || !run_->isEnabled()) return;
    freeText_ = text;
    const QSignalBlocker quiet(probes_);
    probes_->setCurrentRow(-1);
    Q_EMIT sentenceChanged();
}

void SentencePanel::setProbes(const QStringList& probes) {
    QStringList now;
    for (int i = 0; i < probes_->count(); ++i) now << probes_->item(i)->text();
    if (now == probes) return;
    {
        const QSignalBlocker quiet(probes_);
        probes_->clear();
        for (const QString& probe : probes) {
            auto* item = new QListWidgetItem(probe, probes_);
            item->setToolTip(probe);
        }
        if (freeText_.isEmpty()) probes_->setCurrentRow(wished_ < probes.size() ? wished_ : 0);
    }
    Q_EMIT sentenceChanged();
}

int SentencePanel::probe() const { return probes_->count() == 0 ? wished_ : std::max(0, probes_->currentRow()); }

void SentencePanel::chooseProbe(int probe) {
    wished_ = std::max(0, probe);
    if (wished_ < probes_->count()) probes_->setCurrentRow(wished_);
}

SearchOptions SentencePanel::search() const {
    SearchOptions search;
    search.method = search_->currentIndex() == 1 ? SearchOptions::Method::Beam : SearchOptions::Method::Greedy;
    search.beam = kBeam;
    return search;
}

void SentencePanel::setReadable(bool readable, const QString& reason) {
    for (QWidget* one : std::initializer_list<QWidget*>{text_, search_, run_}) one->setEnabled(readable);
    text_->setToolTip(reason);
}

void SentencePanel::setOutput(const Output& output) {
    const QString compared = output.reference.isEmpty() ? output.a : output.reference;
    const auto shown = [&](const QString& text) {
        return output.reference.isEmpty() && text == output.a ? text.toHtmlEscaped() : withDifferences(text, compared);
    };
    QString html = line(tr("source"), output.source.toHtmlEscaped()) + line(tr("reference"), output.reference.toHtmlEscaped());
    if (!output.a.isEmpty()) html += line(output.nameA, shown(output.a));
    if (!output.b.isEmpty()) html += line(output.nameB, shown(output.b));
    if (!output.reference.isEmpty() && (!output.a.isEmpty() || !output.b.isEmpty()))
        html += line(tr("Differences from the reference are underlined."), QStringLiteral(" "));
    output_->setText(html);
}

void SentencePanel::setOutputNote(const QString& note) { output_->setText(line(note, QStringLiteral(" "))); }

QString SentencePanel::outputText() const { return QTextDocumentFragment::fromHtml(output_->text()).toPlainText(); }

}  // namespace heddle::ui
