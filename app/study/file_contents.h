// SPDX-License-Identifier: Apache-2.0
// The files that a run spec names, by the setting that names them ("data.train.source", as in FileContents).
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/spec/diff.h"
#include "engine/spec/field_schema.h"
#include "storage/run_query.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

struct NamedFile {
    std::string setting, path;
    FieldSchema::Role role;
};

/// The files of a run spec's document (RunSpec::toJson()): data, word vectors, tokenizers.
std::vector<NamedFile> namedFiles(const Json& document);

/// Returns the hashes of the data files that the newest attempt of a run recorded (AttemptFacts::dataHashes); empty if there
/// are none.
std::vector<std::string> recordedDataHashes(storage::RunQuery& query, const std::string& run);

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
