// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/idx.h"

#include "engine/base/error.h"
#include "engine/data/readers/byte_reader.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace heddle {
namespace {

constexpr int kUnsignedByte = 0x08;
constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 31;

std::uint32_t bigEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

std::size_t headerBytes(const IdxHeader& header) { return 4 + 4 * header.sizes.size(); }

/// Two zeros, type, number of dimensions, then a big-endian size each.
std::optional<IdxHeader> parseHeader(std::string_view bytes) {
    if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) return std::nullopt;
    IdxHeader header;
    header.type = static_cast<unsigned char>(bytes[2]);
    const auto dimensions = static_cast<unsigned char>(bytes[3]);
    const bool known = header.type >= 0x08 && header.type <= 0x0E && header.type != 0x0A;
    if (!known || dimensions == 0 || dimensions > 8 || bytes.size() < 4U + 4U * dimensions) return std::nullopt;
    for (std::size_t i = 0; i < dimensions; ++i) header.sizes.push_back(bigEndian(bytes.substr(4 + 4 * i)));
    return header;
}

std::string sizesText(const IdxHeader& header) { return fmt::format("{}", fmt::join(header.sizes, " × ")); }

struct Contents {
    IdxHeader header;
    std::vector<std::uint8_t> values;
    std::string sha256;
};

std::uint64_t declaredValues(const IdxHeader& header, const std::string& path) {
    std::uint64_t product = 1;
    for (const std::int64_t size : header.sizes) {
        product *= static_cast<std::uint64_t>(size);  // both below 2³²: no overflow
        if (product > kMaxValues)
            throwInvalid("declares " + sizesText(header) + " values, more than 2³¹", path, "the header may be damaged");
    }
    return product;
}

IdxHeader checkedHeader(std::string_view bytes, std::size_t dimensions, const std::string& path) {
    const std::optional<IdxHeader> header = parseHeader(bytes);
    if (!header)
        throwInvalid(bytes.size() < 4 ? fmt::format("{} bytes are too few for an IDX header", bytes.size())
                                      : fmt::format("not an IDX file: it begins with 0x{:08X}", bigEndian(bytes)),
                     path, "MNIST's files begin with 0x00000803 (images) or 0x00000801 (labels)");
    if (header->type != kUnsignedByte)
        throwInvalid(fmt::format("unsupported value type 0x{:02X}", header->type), path,
                     "only unsigned bytes (0x08) are supported");
    if (header->sizes.size() != dimensions)
        throwInvalid(fmt::format("has {} dimensions ({})", header->sizes.size(), sizesText(*header)), path,
                     dimensions == 3 ? "images have 3: count × rows × columns; is this the file of the labels?"
                                     : "labels have 1; is this the file of the images?");
    return *header;
}

Contents readContents(const std::string& path, std::size_t dimensions, const std::function<bool()>& stopRequested) {
    ByteReader reader(path, stopRequested);
    std::string_view block = reader.read();
    Contents contents;
    contents.header = checkedHeader(block, dimensions, path);
    const std::uint64_t declared = declaredValues(contents.header, path);
    if (!reader.compressed() && declared <= reader.fileSize()) contents.values.reserve(declared);
    block.remove_prefix(headerBytes(contents.header));
    while (!block.empty() || !(block = reader.read()).empty()) {
        if (contents.values.size() + block.size() > declared)
            throwInvalid(
                fmt::format("more than the {} values that the header declares ({})", declared, sizesText(contents.header)),
                path, "download or copy the file again");
        contents.values.insert(contents.values.end(), block.begin(), block.end());
        block = {};
    }
    if (contents.values.size() < declared)
        throwInvalid(fmt::format("end of file after {} of the {} values that the header declares ({})", contents.values.size(),
                                 declared, sizesText(contents.header)),
                     path, "the file is truncated: download or copy it again");
    contents.sha256 = reader.sha256();
    return contents;
}

}  // namespace

bool isIdxFile(const std::string& path, IdxHeader* header) {
    ByteReader reader(path);
    const std::optional<IdxHeader> parsed = parseHeader(reader.read());
    if (parsed && header != nullptr) *header = *parsed;
    return parsed.has_value();
}

IdxImages readIdxImages(const std::string& path, const std::function<bool()>& stopRequested) {
    Contents contents = readContents(path, 3, stopRequested);
    const auto& sizes = contents.header.sizes;
    if (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
        throwInvalid("no images (" + sizesText(contents.header) + ")", path, "download or copy the file again");
    return {contents.sha256, sizes[0], sizes[1], sizes[2], std::move(contents.values)};
}

IdxLabels readIdxLabels(const std::string& path, const std::function<bool()>& stopRequested) {
    Contents contents = readContents(path, 1, stopRequested);
    return {contents.sha256, std::move(contents.values)};
}

std::vector<std::string_view> eachImage(const std::vector<std::uint8_t>& pixels, std::int64_t size) {
    std::vector<std::string_view> images;
    const std::string_view all(reinterpret_cast<const char*>(pixels.data()), pixels.size());
    for (std::size_t from = 0; size > 0 && from < all.size(); from += static_cast<std::size_t>(size))
        images.push_back(all.substr(from, static_cast<std::size_t>(size)));
    return images;
}

}  // namespace heddle
