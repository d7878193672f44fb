// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/named_tensors.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What to do about a file of a checkpoint that cannot be read.
inline constexpr const char* kUseAnother = "check the path, or use another checkpoint";

/// The bytes of a safetensors file: a little-endian header length, a JSON header padded to 8 bytes, the tensors' data without
/// holes (https://huggingface.co/docs/safetensors). Tensors are sorted by name. The only other member of the header is
/// "__metadata__" with the `notes`; without notes it is left out, as in checkpoints. So the bytes depend on tensors and notes
/// alone. Data of contiguous CPU tensors are not copied.
class SafetensorsImage {
public:
    explicit SafetensorsImage(const NamedTensors& tensors, const std::map<std::string, std::string>& notes = {});

    std::vector<std::string_view> parts() const;  ///< in file order; valid during the lifetime of the image
    std::uint64_t bytes() const;
    std::string joined() const;  ///< all parts as one text

private:
    std::string header_;
    std::vector<at::Tensor> data_;  ///< contiguous, on the CPU
};

/// Parses an image strictly, except that the header may have any length: files of other writers are not padded. Rejects a
/// header over 100 MB, unknown members, duplicate names, unknown dtypes, sizes that overflow or do not fit their shape,
/// overlaps, holes and trailing bytes. Sizes are checked against the bytes before any allocation. Tensors own their memory.
/// Throws Error(InvalidInput) naming `where` and the tensor.
NamedTensors parseSafetensors(std::string_view bytes, const std::string& where);

/// parseSafetensors() of a regular file.
NamedTensors readSafetensors(const std::string& path);

}  // namespace heddle
