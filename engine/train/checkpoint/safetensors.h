// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/named_tensors.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The bytes of a safetensors file: a little-endian header length, a JSON header padded to 8 bytes, the tensors' data without
/// holes (https://huggingface.co/docs/safetensors). Tensors lie in the order of their names and the header carries nothing
/// else, so that the bytes depend on the tensors alone. The data are not copied where a tensor is contiguous and on the CPU.
class SafetensorsImage {
public:
    explicit SafetensorsImage(const NamedTensors& tensors);

    std::vector<std::string_view> parts() const;  ///< in file order; valid as long as the image
    std::uint64_t bytes() const;

private:
    std::string header_;
    std::vector<at::Tensor> data_;  ///< contiguous, on the CPU
};

/// Reads an image, all or nothing. Strict: rejects a header over 100 MB, unknown members, duplicate names, unknown dtypes,
/// sizes that overflow or do not fit their shape, overlaps, holes and bytes left over. Nothing is allocated before it is known
/// to fit the bytes at hand. Tensors own their memory. Throws Error(InvalidInput) naming `where` and the tensor.
NamedTensors parseSafetensors(std::string_view bytes, const std::string& where);

/// parseSafetensors over a regular file.
NamedTensors readSafetensors(const std::string& path);

}  // namespace heddle
