// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// The format of a data file: "text", "wikitext", "sgm", "idx", "vectors", or an id of exampleFormats().
struct RecognisedFormat {
    std::string id;
    std::string by;  ///< the evidence: "its first bytes", "its header", "the name of its folder", …
};

/// All ids that recogniseFormat() can return.
std::vector<std::string> dataFormats();

/// Examines the first 256 KiB, and for formats that look alike (RTE and WNLI without labels) file and folder names. The
/// fallback is "text". Throws Error(InvalidInput) for a file that cannot be read.
RecognisedFormat recogniseFormat(const std::string& path);

}  // namespace heddle
