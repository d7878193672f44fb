// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// What a data file holds: "text", "wikitext", "sgm", "idx", "vectors", or an id of exampleFormats().
struct RecognisedFormat {
    std::string id;
    std::string by;  ///< why, for people: "its first bytes", "its header", "the name of its folder", …
};

/// Every id that recogniseFormat() can give.
std::vector<std::string> dataFormats();

/// Looks at the first 256 KiB, and where several formats look alike (RTE and WNLI without labels) at file and folder names.
/// What is nothing else is "text". Throws Error(InvalidInput) for a file that cannot be read.
RecognisedFormat recogniseFormat(const std::string& path);

}  // namespace heddle
