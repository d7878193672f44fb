// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/over_menu.h"

#include "engine/base/json.h"
#include "engine/spec/foreign_spec.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <set>

namespace heddle::ui {
namespace {

constexpr int kMaxRuns = 30;
/// Of OverMenu::Kind, for the settings.
constexpr std::array<const char*, 5> kKindWords{"", "baseline", "preset", "saved", "run"};

}  // namespace

OverMenu::OverMenu(VariantDraft& draft, VariantLibrary& library, Studio& studio, MessageStrip& strip, DraftDiagram& diagram)
    : QMenu(tr("Draw over another variant"), diagram.parentWidget()),
      draft_(draft),
      library_(library),
      studio_(studio),
      strip_(strip),
      diagram_(diagram) {
    connect(this, &QMenu::aboutToShow, this, &OverMenu::fill);
    connect(&draft, &VariantDraft::changed, this, &OverMenu::refresh);
    connect(&library, &VariantLibrary::changed, this, &OverMenu::find);
    for (const auto emitted : {&Databases::opened, &Databases::closed})
        connect(&studio.databases(), emitted, this, &OverMenu::find);
}

QToolButton* OverMenu::makeButton(QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("overButton"));
    button->setIcon(themeIcon(Icon::Compare));
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(this);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(tr("Draw the draft over another variant and mark what is new, missing or changed"));
    button->setAccessibleName(title());
    return button;
}

QAction* OverMenu::add(QMenu& menu, const QString& words, const Choice& choice) {
    QAction* action = menu.addAction(words, this, [this, choice] { choose(choice); });
    action->setCheckable(true);
    action->setChecked(choice == choice_);
    return action;
}

void OverMenu::fill() {
    clear();
    qDeleteAll(findChildren<QMenu*>(Qt::FindDirectChildrenOnly));  // clear() keeps them
    add(*this, tr("Draw the draft alone"), {})->setObjectName(QStringLiteral("overNothing"));
    const QString& baseline = draft_.baselineName();
    QAction* overBaseline =
        add(*this, baseline.isEmpty() ? tr("Over the baseline (none is pinned)") : tr("Over the baseline %1").arg(baseline),
            {Kind::Baseline, {}, {}});
    overBaseline->setObjectName(QStringLiteral("overBaseline"));
    overBaseline->setEnabled(draft_.baselineFacts() != nullptr);
    addSeparator();
    const auto addEntry = [this](QMenu& part, const PresetEntry& entry) {
        add(part, entry.name, {entry.isSaved ? Kind::Saved : Kind::Preset, entry.name, {}});
    };
    VariantLibrary::fill(*addMenu(tr("Over a preset")), library_.shipped(), addEntry);
    VariantLibrary::fill(*addMenu(tr("Over a saved variant")), library_.saved(), addEntry);
    addRuns();
}

/// The newest run of each variant.
void OverMenu::addRuns() {
    QMenu* runs = addMenu(tr("Over the variant of a run"));
    const Run* chosen = choice_.kind == Kind::Run ? studio_.databases().runWithId(choice_.run) : nullptr;
    std::set<std::string> seen;
    for (const Run* run : studio_.databases().runs()) {
        if (int(seen.size()) >= kMaxRuns) break;
        if (run->damaged || foreignSpec(run->spec) || !seen.insert(run->variantHash).second || !Json::accept(run->spec))
            continue;
        add(*runs, text(run->name), {Kind::Run, text(run->name), run->id})
            ->setChecked(chosen && chosen->variantHash == run->variantHash);
    }
    runs->setEnabled(!runs->isEmpty());
}

void OverMenu::choose(const Choice& choice) {
    choice_ = choice;
    document_ = {};
    assumed_.reset();
    evaluating_.cancel();
    diagram_.setOver({});
    if (choice.kind != Kind::None) diagram_.mark->setChecked(true);
    find();
    Q_EMIT chosen();
}

void OverMenu::drawAlone(const QString& why, const QString& next) {
    choose({});
    strip_.showMessage({StripKind::Warn, why, next});
}

void OverMenu::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("compose/over"), QLatin1String(kKindWords[std::size_t(choice_.kind)]));
    settings.setValue(QStringLiteral("compose/overName"), choice_.name);
    settings.setValue(QStringLiteral("compose/overRun"), text(choice_.run));
}

void OverMenu::restoreSession(const QSettings& settings) {
    const QString word = settings.value(QStringLiteral("compose/over")).toString();
    const auto* kind =
        std::find_if(kKindWords.begin(), kKindWords.end(), [&](const char* each) { return word == QLatin1String(each); });
    if (kind == kKindWords.end()) return;
    choice_ = {Kind(kind - kKindWords.begin()), settings.value(QStringLiteral("compose/overName")).toString(),
               settings.value(QStringLiteral("compose/overRun")).toString().toStdString()};
    document_ = {};
    find();
}

std::optional<Json> OverMenu::documentOf(const Choice& choice) const {
    const auto named = [&](const std::vector<PresetEntry>& entries) {
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == choice.name; });
        return found == entries.end() ? Json() : found->document;
    };
    const Databases& databases = studio_.databases();
    switch (choice.kind) {
    case Kind::Preset: return library_.shipped().empty() ? std::nullopt : std::optional(named(library_.shipped()));
    case Kind::Saved: return library_.areSavedRead() ? std::optional(named(library_.saved())) : std::nullopt;
    case Kind::Run:
        if (const Run* run = databases.runWithId(choice.run)) return Json::parse(run->spec, nullptr, false);
        for (const RunDatabase* database : databases.all())
            if (!database->isOpen()) return std::nullopt;
        return databases.all().empty() ? std::nullopt : std::optional(Json());
    default: return std::nullopt;
    }
}

void OverMenu::find() {
    if (choice_.kind == Kind::Baseline || document_.is_object()) return refresh();
    const auto document = documentOf(choice_);
    if (!document) return;
    if (document->is_object()) {
        document_ = *document;
        return refresh();
    }
    const QString& name = choice_.name;
    const QString gone = choice_.kind == Kind::Preset  ? tr("The preset %1 no longer exists.").arg(name)
                         : choice_.kind == Kind::Saved ? tr("The variant %1 is not saved in this database.").arg(name)
                         : document->is_discarded()    ? tr("The specification of the run %1 is damaged.").arg(name)
                                                       : tr("No open database has the run %1.").arg(name);
    drawAlone(gone, tr("The draft is now drawn alone."));
}

void OverMenu::refresh() {
    if (choice_.kind == Kind::Baseline) return diagram_.setOver({draft_.baselineName(), draft_.baselineFacts()});
    if (!document_.is_object() || assumed_ == draft_.assumed()) return;
    assumed_ = draft_.assumed();
    evaluating_.ask(Pool{}, [document = document_, assumed = *assumed_] { return factsOf(document, assumed); });
}

}  // namespace heddle::ui
