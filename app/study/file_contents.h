// SPDX-License-Identifier: Apache-2.0
// The files that a run spec names, by the setting that names them ("data.train.source", as in FileContents).
#pragma once

#include "engine/base/json.h"

#include <map>
#include <string>

namespace heddle::app {

/// The files of a run spec's document (RunSpec::toJson()), by setting: data, tokenizers, word vectors.
std::map<std::string, std::string> namedFiles(const Json& document);

/// "/data/train/source" of "data.train.source".
std::string pointerOf(const std::string& setting);

/// The SHA-256 of a file as runs record it: of examples and vectors after gunzip, of tokenizers as they are. Empty where it
/// cannot be read. Remembered while the file's size and time stay as they are. Any thread.
std::string contentOf(const std::string& setting, const std::string& path);

}  // namespace heddle::app
