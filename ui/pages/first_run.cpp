// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/first_run.h"

#include "engine/base/json.h"
#include "engine/base/resources.h"
#include "engine/spec/catalogue.h"
#include "ui/data/studio.h"
#include "ui/theme/controls.h"
#include "ui/widgets/empty_state.h"

#include <QPushButton>

namespace heddle::ui {

QString sampleWords() {
    return EmptyState::tr(
        "The sample trains two small translation models, one plain and one gated, on a corpus that comes with Heddle. "
        "It takes about a minute on two processor cores and needs no GPU.");
}

QWidget* makeFirstRunCard(Studio& studio, QWidget* parent, const QString& appears) {
    auto* card = new EmptyState(parent, EmptyState::Size::Page);
    card->setObjectName(QStringLiteral("firstRun"));
    QPushButton* compose = card->addButton("compose", EmptyState::tr("Compose a run"));
    QPushButton* sample = card->addButton("trainSample", EmptyState::tr("Train the sample"));
    QPushButton* library = card->addButton("goToLibrary", EmptyState::tr("Open another database"));
    setControlRole(*compose, ControlRole::Primary);
    sample->setToolTip(sampleWords());
    const QString shown = !appears.isEmpty() ? appears
                                             : EmptyState::tr(
                                                   "Curves, attention and gates appear here as soon as it or another run "
                                                   "of this database writes its first step.");
    const auto follow = [=, &studio] {
        const bool isOpen = studio.databases().current();
        if (isOpen)
            card->setWords(EmptyState::tr("No runs in this database yet"), sampleWords() + QLatin1Char(' ') + shown);
        else
            card->setWords(
                EmptyState::tr("No database is open"),
                EmptyState::tr("Open or create a run database in the Library; runs that are trained into it are shown here."));
        compose->setVisible(isOpen);
        sample->setVisible(isOpen);
        library->setText(isOpen ? EmptyState::tr("Open another database") : EmptyState::tr("Go to the Library"));
    };
    QObject::connect(&studio.databases(), &Databases::currentChanged, card, follow);
    QObject::connect(compose, &QPushButton::clicked, card, [&studio] { studio.go(PageId::Compose); });
    QObject::connect(sample, &QPushButton::clicked, card, [&studio] { trainSample(studio); });
    QObject::connect(library, &QPushButton::clicked, card, [&studio] { studio.go(PageId::Library); });
    follow();
    return card;
}

void trainSample(Studio& studio) {
    try {
        const std::string folder = resourcePath("sample");
        for (const char* name : {"eau-base", "eau-full"}) {
            const Json document = readJsonFile(folder + '/' + name + ".json");
            studio.commander().submit(studio.databases().currentNumber(),
                                      {RunSpec::parse(document, builtinCatalogue(), folder)});
        }
    } catch (const std::exception& error) {
        studio.report(problemOf(error));
    }
}

}  // namespace heddle::ui
