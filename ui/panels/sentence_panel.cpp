// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sentence_panel.h"

#include "ui/data/studio.h"
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

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace heddle::ui {
namespace {

constexpr int kBeam = 4;

/// The text of a probe sentence: the source of a stored sample, else the tokens of one of its maps.
QString wordsOfProbe(storage::RunQuery& query, const RunDetail& detail, const std::vector<storage::SampleRecord>& samples,
                     std::int64_t probe) {
    for (const auto& sample : samples)
        if (sample.index == probe && !sample.source.empty()) return QString::fromStdString(sample.source);
    for (const auto& [site, probes] : detail.maps) {
        const auto steps = probes.find(probe);
        if (steps == probes.end() || steps->second.empty()) continue;
        const auto map = query.map(detail.record.id, {site.name, site.path, steps->second.back(), probe});
        if (!map) continue;
        QStringList words;
        for (const std::string& token : map->columnTokens) words << QString::fromStdString(token);
        return words.join(QLatin1Char(' '));
    }
    return {};
}

QStringList probesOf(storage::RunQuery& query, const RunDetail& detail) {
    std::set<std::int64_t> probes;
    for (const auto& [site, byProbe] : detail.maps)
        for (const auto& [probe, steps] : byProbe) probes.insert(probe);
    const auto samples = query.samples(detail.record.id);
    QStringList words;
    for (const std::int64_t probe : probes)
        words << QStringLiteral("%1  %2").arg(probe).arg(wordsOfProbe(query, detail, samples, probe));
    return words;
}

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

SentencePanel::SentencePanel(InspectedPair& pair, QWidget* parent)
    : Panel(tr("Probe sentences"), parent),
      pair_(pair),
      probes_(new QListWidget(this)),
      text_(new QLineEdit(this)),
      search_(new QComboBox(this)),
      //: A verb: decode the sentence.
      run_(new QPushButton(tr("Run"), this)),
      output_(new QLabel(this)) {
    setBody(buildBody());
    connect(probes_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0) return;
        preferred_ = row;
        freeText_.clear();
        giveSentence();
    });
    connect(run_, &QPushButton::clicked, this, &SentencePanel::runFree);
    connect(text_, &QLineEdit::returnPressed, this, &SentencePanel::runFree);
    choices_.add(QStringLiteral("inspect/probe"), preferred_);
    connect(&pair_, &InspectedPair::changed, this, &SentencePanel::show);
    connect(&Theme::instance(), &Theme::changed, this, [this] { output_->setText(output()); });  // it has colours of the theme
}

QWidget* SentencePanel::buildBody() {
    auto* body = new QWidget(this);
    QVBoxLayout* column = makeColumn(body);
    probes_->setObjectName(QStringLiteral("probeSentences"));
    probes_->setAccessibleName(tr("Probe sentences"));
    probes_->setFrameShape(QFrame::NoFrame);
    probes_->setUniformItemSizes(true);
    probes_->setTextElideMode(Qt::ElideRight);
    probes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    probes_->setMinimumHeight(px(72));
    column->addWidget(probes_, 1);

    column->addWidget(new PanelTitle(tr("Try a sentence"), body));
    auto* rows = new QVBoxLayout;
    rows->setSpacing(px(8));
    rows->setContentsMargins(px(8), px(6), px(8), px(8));
    text_->setObjectName(QStringLiteral("sentence"));
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
    column->addLayout(rows);

    column->addWidget(new PanelTitle(tr("Output"), body));
    output_->setWordWrap(true);
    output_->setMargin(px(8));
    output_->setAlignment(Qt::AlignTop);
    output_->setTextFormat(Qt::RichText);
    output_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    output_->setAccessibleName(tr("Output"));
    auto* scroll = new QScrollArea(body);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(output_);
    scroll->setAccessibleName(tr("Output"));
    column->addWidget(scroll, 2);
    return body;
}

void SentencePanel::runFree() {
    const QString text = text_->text().trimmed();
    if (text.isEmpty() || !run_->isEnabled()) return;
    freeText_ = text;
    const QSignalBlocker blocker(probes_);
    probes_->setCurrentRow(-1);
    giveSentence();
}

void SentencePanel::giveSentence() {
    SearchOptions search;
    search.method = search_->currentIndex() == 1 ? SearchOptions::Method::Beam : SearchOptions::Method::Greedy;
    search.beam = kBeam;
    pair_.setSentence({probe(), freeText_, {}, search});
}

void SentencePanel::show() {
    readProbes();
    const QString error = pair_.a().model() ? QString() : pair_.reason();
    for (QWidget* one : std::initializer_list<QWidget*>{text_, search_, run_}) one->setEnabled(error.isEmpty());
    text_->setToolTip(error);
    output_->setText(output());
}

void SentencePanel::readProbes() {
    const auto detail = pair_.a().detail();
    const RunRef run = detail ? detail->record.ref : RunRef();
    if (run != std::exchange(probesOf_, run)) {
        probeQuery_.cancel();
        setProbes({});
    }
    if (!detail) return;
    probeQuery_.askOnce(std::to_string(detail->maps.size()) + " kinds of maps", pair_.studio().databases().reader(run.database),
                        [detail](storage::RunQuery& query) { return probesOf(query, *detail); });
}

void SentencePanel::takeProbes(Result<QStringList> probes) {
    const QString subject = probesOf_.key();
    if (!probes) {
        if (reported_.isNew(subject, probes.problem())) Q_EMIT failed(probes.problem());
        return;
    }
    reported_.succeeded(subject);
    setProbes(*probes);
}

void SentencePanel::setProbes(const QStringList& probes) {
    QStringList now;
    for (int i = 0; i < probes_->count(); ++i) now << probes_->item(i)->text();
    if (now == probes) return;
    {
        const QSignalBlocker blocker(probes_);
        probes_->clear();
        for (const QString& probe : probes) {
            auto* item = new QListWidgetItem(probe, probes_);
            item->setToolTip(probe);
        }
        if (freeText_.isEmpty()) probes_->setCurrentRow(preferred_ < probes.size() ? preferred_ : 0);
    }
    giveSentence();
}

int SentencePanel::probe() const { return probes_->count() == 0 ? preferred_ : std::max(0, probes_->currentRow()); }

QString SentencePanel::output() const {
    const auto &a = pair_.a().observed(), &b = pair_.b().observed();
    if (!a) return line(pair_.reason(), QStringLiteral(" "));
    const QString reference = QString::fromStdString(a->reference), ofA = QString::fromStdString(a->output);
    const auto lineOf = [&](const QString& letter, const InspectedRun& run) {
        const QString text = QString::fromStdString(run.observed()->output);
        const bool isPlain = reference.isEmpty() && text == ofA;
        return line(letter.arg(InspectedPair::modelLabel(run)),
                    isPlain ? text.toHtmlEscaped() : withDifferences(text, reference.isEmpty() ? ofA : reference));
    };
    QString html = line(tr("source"), QString::fromStdString(a->input).toHtmlEscaped()) +
                   line(tr("reference"), reference.toHtmlEscaped()) + lineOf(tr("A: %1"), pair_.a());
    if (b) html += lineOf(tr("B: %1"), pair_.b());
    const bool isCompared = !reference.isEmpty() && (!a->output.empty() || (b && !b->output.empty()));
    if (isCompared) html += line(tr("Differences from the reference are underlined."), QStringLiteral(" "));
    return html;
}

QString SentencePanel::outputText() const { return QTextDocumentFragment::fromHtml(output_->text()).toPlainText(); }

}  // namespace heddle::ui
