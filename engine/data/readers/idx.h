// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Images of an IDX file (LeCun, Cortes, Burges, "The MNIST database"): one byte per pixel, row by row.
struct IdxImages {
    std::string sha256;  ///< of the contents, after gunzip
    std::int64_t count = 0, rows = 0, columns = 0;
    std::vector<std::uint8_t> pixels;  ///< [count, rows, columns], 0 … 255
};

/// Labels of an IDX file.
struct IdxLabels {
    std::string sha256;
    std::vector<std::uint8_t> labels;
};

/// The type and sizes that an IDX file declares.
struct IdxHeader {
    int type = 0;  ///< 0x08 unsigned bytes, 0x09 bytes, 0x0B int16, 0x0C int32, 0x0D float, 0x0E double
    std::vector<std::int64_t> sizes;
};

/// Whether the file begins with an IDX header; returns it in `header`. Throws Error(InvalidInput) when the file cannot be read.
bool isIdxFile(const std::string& path, IdxHeader* header = nullptr);

/// Read plain or gzip files. Throw Error(InvalidInput) for a wrong magic number, another type than unsigned bytes, another
/// number of dimensions than 3 or 1, sizes beyond 2³¹ values, and contents that are shorter or longer than declared. A header
/// alone never causes an allocation.
IdxImages readIdxImages(const std::string& path, const std::function<bool()>& stopRequested = {});
IdxLabels readIdxLabels(const std::string& path, const std::function<bool()>& stopRequested = {});

/// Views of the images, `size` pixels each, for finding equal images. They point into `pixels`.
std::vector<std::string_view> eachImage(const std::vector<std::uint8_t>& pixels, std::int64_t size);

}  // namespace heddle
