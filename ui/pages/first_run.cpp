// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/first_run.h"

#include "engine/base/resources.h"
#include "engine/spec/catalogue.h"
#include "ui/data/studio.h"
#include "ui/widgets/empty_state.h"

namespace heddle::ui {

QWidget* makeFirstRunCard(Studio& studio, QWidget* parent, const QString& appears) {
    auto* card = new EmptyState(parent, appears);
    const auto follow = [card, &studio] {
        card->setReason(studio.databases().current() ? EmptyState::Reason::NoRuns : EmptyState::Reason::NoDatabase);
    };
    QObject::connect(&studio.databases(), &Databases::currentChanged, card, follow);
    QObject::connect(card, &EmptyState::composeRequested, card, [&studio] { studio.go(PageId::Compose); });
    QObject::connect(card, &EmptyState::sampleRequested, card, [&studio] { trainSample(studio); });
    QObject::connect(card, &EmptyState::libraryRequested, card, [&studio] { studio.go(PageId::Library); });
    follow();
    return card;
}

void trainSample(Studio& studio) {
    try {
        const std::string folder = resourcePath("sample");
        for (const char* name : {"eau-base", "eau-full"}) {
            const Json document = readJsonFile(folder + '/' + name + ".json");
            studio.commander().submit(studio.databases().currentNumber(), RunSpec::parse(document, builtinCatalogue(), folder));
        }
    } catch (const std::exception& error) {
        studio.report(problemOf(error));
    }
}

}  // namespace heddle::ui
