// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/sample_runs.h"

#include "engine/base/resources.h"
#include "engine/spec/catalogue.h"
#include "ui/data/studio.h"

namespace heddle::ui {

void trainSample(Studio& studio) {
    try {
        const std::string folder = resourcePath("sample");
        for (const char* name : {"eau-base", "eau-full"}) {
            const Json document = readJsonFile(folder + '/' + name + ".json");
            studio.commander().submit(studio.databases().currentNumber(), RunSpec::parse(document, builtinCatalogue(), folder));
        }
    } catch (const std::exception& error) {
        studio.say(problemOf(error));
    }
}

}  // namespace heddle::ui
