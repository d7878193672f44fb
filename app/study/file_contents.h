// SPDX-License-Identifier: Apache-2.0
// The files that a run spec names, by the setting that names them ("data.train.source", as in FileContents).
#pragma once

#include "engine/base/json.h"
#include "engine/spec/diff.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace heddle::app {

/// The files of a run spec's document (RunSpec::toJson()), by setting: data, tokenizers, word vectors.
std::map<std::string, std::string> namedFiles(const Json& document);

/// "/data/train/source" of "data.train.source".
std::string pointerOf(const std::string& setting);

/// The SHA-256 of a file as runs record it: of examples and vectors after gunzip, of tokenizers as they are. Empty where it
/// cannot be read. Remembered while the file's size and time stay as they are. Any thread.
std::string contentOf(const std::string& setting, const std::string& path);

/// Whether a file of two runs had other contents. What a run did not record is not other.
bool differ(const FileContents& a, const FileContents& b);

/// What files held for the first run that recorded it, by the setting that names them and their path.
class FirstContents {
public:
    /// `document`: RunSpec::toJson() of a run; `contents`: what it recorded. Returns the path of a file that held something
    /// else before; where none did, nothing, and remembers them.
    std::optional<std::string> changedFor(const Json& document, const FileContents& contents);

private:
    std::map<std::pair<std::string, std::string>, std::string> all_;
};

}  // namespace heddle::app
