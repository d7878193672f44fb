// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/details_panel.h"

#include "engine/run/run_state.h"
#include "engine/spec/schedules.h"
#include "ui/data/studio.h"
#include "ui/pages/library/fact_list.h"
#include "ui/pages/library/use_bar.h"
#include "ui/pages/library/words.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/text/units.h"
#include "ui/text/utf8.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

QString statesText(const std::map<std::string, int>& states) {
    QStringList parts;
    for (int i = 0; i < kRunStateCount; ++i)
        if (const auto found = states.find(std::string(name(RunState(i)))); found != states.end())
            parts << QStringLiteral("%1 %2").arg(count(found->second), lookOf(Mark(i)).word.toLower());
    return parts.isEmpty() ? DetailsPanel::tr("none yet") : parts.join(QStringLiteral(", "));
}

}  // namespace

std::optional<RunFactsOf> runFactsOf(storage::RunQuery& query, const std::string& run) {
    auto record = query.run(run);
    if (!record) return std::nullopt;
    RunFactsOf facts{std::move(*record), query.attempts(run), query.checkpoints(run), {}, {}};
    for (const auto& event : query.events(run))
        if (event.kind == "note") facts.notes << text(event.text);
    for (const auto& damage : query.damages())
        if (damage.run == run) facts.damages << text(damage.text);
    return facts;
}

DetailsPanel::DetailsPanel(QWidget* parent)
    : SideArea(px(232), parent),
      strip_(new MessageStrip(this)),
      useTitle_(new PanelTitle(tr("Disk use"), this)),
      runTitle_(new PanelTitle(tr("Run"), this)),
      database_(new FactList(this)),
      run_(new FactList(this)),
      use_(new UseBar(this)),
      totals_(new QLabel(this)),
      verify_(new QPushButton(themeIcon(Icon::Shield), tr("Verify now"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLineEdit(this)),
      useBox_(new QWidget(this)) {
    setAccessibleName(tr("Details of the database and the chosen run"));
    auto* body = new QWidget(this);
    QVBoxLayout* column = makeColumn(body);
    column->addWidget(strip_);
    strip_->setMinimumWidth(1);  // its words wrap; the panel is never scrolled sideways
    column->addWidget(database_);
    column->addWidget(useTitle_);
    auto* use = new QVBoxLayout(useBox_);
    use->setContentsMargins(px(10), px(8), px(10), px(8));
    use->setSpacing(px(6));
    use->addWidget(use_);
    use->addWidget(totals_);
    totals_->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(px(8));
    buttons->addWidget(verify_);
    buttons->addWidget(progress_, 1);
    buttons->addStretch(0);
    use->addLayout(buttons);
    progress_->setAccessibleName(tr("Runs checked"));
    progress_->hide();
    column->addWidget(useBox_);
    column->addWidget(runTitle_);
    note_->setPlaceholderText(tr("Add a note"));
    note_->setAccessibleName(tr("Add a note to the run"));
    column->addWidget(run_);
    auto* noteRow = new QHBoxLayout;
    noteRow->setContentsMargins(px(10), 0, px(10), px(8));
    noteRow->addWidget(note_);
    column->addLayout(noteRow);
    column->addStretch(1);
    setWidget(body);
    connect(verify_, &QPushButton::clicked, this,
            [this] { Q_EMIT progress_->isVisible() ? cancelRequested() : verifyRequested(); });
    connect(note_, &QLineEdit::returnPressed, this, [this] {
        if (const QString note = note_->text().trimmed(); !note.isEmpty()) Q_EMIT noteEntered(note);
        note_->clear();
    });
    showDatabase({});
    showRun({});
}

void DetailsPanel::showDatabase(const std::optional<DatabaseShown>& shown) {
    database_->clear();
    for (QWidget* part : {static_cast<QWidget*>(useTitle_), useBox_}) part->setVisible(shown.has_value());
    if (!shown) return;
    const auto& r = shown->report;
    database_->add(tr("Folder"), withTilde(QFileInfo(shown->file).path()));
    database_->add(tr("Created"), whenText(r.created));
    database_->add(tr("Schema"), tr("version %1").arg(r.schema));
    database_->add(tr("Journal"), r.journal == "wal" ? tr("write-ahead log, %1").arg(byteSize(r.walBytes)) : text(r.journal));
    database_->add(tr("Writer"), shown->mine       ? tr("this window, %1").arg(text(r.owner.text()))
                                 : r.owner.empty() ? tr("nobody")
                                                   : text(r.owner.text()));
    database_->add(tr("Runs"), statesText(shown->states));
    const QStringList holds{tr("%Ln point(s)", nullptr, int(r.points)), tr("%Ln evaluation(s)", nullptr, int(r.evaluations)),
                            tr("%Ln histogram(s)", nullptr, int(r.histograms)), tr("%Ln map(s)", nullptr, int(r.maps))};
    database_->add(tr("Holds"), holds.join(QStringLiteral(", ")));
    if (!r.notice.empty()) database_->add(tr("Notice"), text(r.notice));
    use_->setUse(r.use);
    totals_->setText(
        tr("Database file %1 · checkpoints %2").arg(byteSize(r.fileBytes), byteSize(quint64(shown->artifactBytes))));
}

void DetailsPanel::showVerified(const VerifiedFacts& verified) {
    if (verified.at <= 0) return strip_->hide();
    const QString records =
        tr("%1 of %Ln record(s)", nullptr, int(verified.records)).arg(count(verified.records - verified.damaged));
    const QString files =
        tr("%1 of %Ln checkpoint file(s)", nullptr, int(verified.files)).arg(count(verified.files - verified.wrongFiles));
    const QString counts = tr("%1 and %2 match their checksums.").arg(records, files);
    MessageStrip::Message message;
    if (verified.problems.isEmpty()) {
        message.kind = StripKind::Ok;
        message.title = tr("Verified %1: nothing damaged").arg(whenText(verified.at));
        message.text = counts;
    } else {
        message.kind = StripKind::Bad;
        message.title = tr("Checked %1: damage found").arg(whenText(verified.at));
        message.text = verified.problems.mid(0, 4).join(QLatin1Char('\n')) + QLatin1Char('\n') + counts +
                       tr(" What is damaged is shown as a gap; the rest is safe.");
    }
    strip_->showMessage(message);
}

void DetailsPanel::showProgress(int done, int total) {
    progress_->setVisible(total > 0);
    progress_->setRange(0, std::max(1, total));
    progress_->setValue(done);
    verify_->setText(total > 0 ? tr("Stop checking") : tr("Verify now"));
}

void DetailsPanel::showRun(const std::optional<RunFactsOf>& facts) {
    run_->clear();
    runTitle_->setVisible(facts.has_value());
    run_->setVisible(facts.has_value());
    note_->setVisible(facts.has_value());
    if (!facts) return;
    const auto& run = facts->run;
    runTitle_->setNote(saysSeed(run) ? text(run.name) : tr("%1, seed %2").arg(text(run.name)).arg(run.seed));
    run_->add(tr("Run"), text(run.id));
    run_->add(tr("Variant"), text(run.variantHash.substr(0, 16)));
    if (run.parameters > 0) run_->add(tr("Parameters"), count(run.parameters));
    if (!facts->attempts.empty()) {
        const auto& last = facts->attempts.back();
        run_->add(tr("Device"),
                  tr("%1, %Ln thread(s), torch %2", nullptr, int(last.threads)).arg(text(last.device), text(last.torch)));
        if (last.peakBytes > 0) run_->add(tr("Peak memory"), byteSize(quint64(last.peakBytes)));
        if (facts->attempts.size() > 1)
            run_->add(tr("Resumed"), tr("%1; last: %2 %3")
                                         .arg(tr("%Ln time(s)", nullptr, int(facts->attempts.size()) - 1),
                                              tr("%Ln replayed step(s)", nullptr, int(last.replayedSteps)), text(last.replay)));
    }
    QStringList checkpoints;
    for (const auto& c : facts->checkpoints) checkpoints << tr("%1 %2").arg(text(c.kind), count(c.step));
    run_->add(tr("Checkpoints"), checkpoints.isEmpty() ? tr("none") : checkpoints.join(QStringLiteral(", ")));
    if (const auto extensions = extensionsIn(run.spec); !extensions.empty()) {
        QStringList steps;
        for (const std::int64_t step : extensions) steps << count(step);
        run_->add(tr("Extended"),
                  tr("after step %1: not the run that these limits give from the start").arg(steps.join(QStringLiteral(", "))));
    }
    if (!run.reason.empty()) run_->add(tr("Reason"), text(run.reason));
    if (!run.group.empty()) run_->add(tr("Group"), text(run.group));
    if (!facts->damages.isEmpty()) run_->add(tr("Damaged"), facts->damages.join(QLatin1Char('\n')));
    run_->add(tr("Notes"), facts->notes.isEmpty() ? tr("none") : facts->notes.join(QLatin1Char('\n')));
}

QStringList DetailsPanel::lines() const {
    QStringList all;
    if (strip_->isVisibleTo(this)) all << strip_->title();
    return all + database_->lines() + run_->lines();
}

}  // namespace heddle::ui
