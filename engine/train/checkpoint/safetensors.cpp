// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/safetensors.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace heddle {
namespace {

constexpr std::size_t kLengthBytes = 8, kHeaderAlignment = 8;
constexpr std::uint64_t kMaximalHeader = 100'000'000;

struct DtypeName {
    at::ScalarType type;
    const char* name;
};
constexpr DtypeName kDtypes[] = {{at::kFloat, "F32"},
                                 {at::kDouble, "F64"},
                                 {at::kBFloat16, "BF16"},
                                 {at::kHalf, "F16"},
                                 {at::kLong, "I64"},
                                 {at::kInt, "I32"},
                                 {at::kShort, "I16"},
                                 {at::kChar, "I8"},
                                 {at::kUInt64, "U64"},
                                 {at::kUInt32, "U32"},
                                 {at::kUInt16, "U16"},
                                 {at::kByte, "U8"},
                                 {at::kBool, "BOOL"},
                                 {at::ScalarType::ComplexFloat, "C64"},
                                 {at::ScalarType::Float8_e4m3fn, "F8_E4M3"},
                                 {at::ScalarType::Float8_e5m2, "F8_E5M2"},
                                 {at::ScalarType::Float8_e8m0fnu, "F8_E8M0"}};

std::string_view bytesOf(const at::Tensor& tensor) {
    return {static_cast<const char*>(tensor.const_data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

[[noreturn]] void damaged(const std::string& what, const std::string& where) {
    throwInvalid("invalid safetensors file: " + what, where,
                 "use another checkpoint; this file is damaged or was not written by safetensors");
}

/// A header entry of one tensor, checked against the size of the data.
struct Entry {
    std::string name;
    at::ScalarType type;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

/// Parses the header and refuses duplicate keys, which a plain parse would silently merge.
Json parseHeader(std::string_view text, const std::string& where) {
    std::vector<std::set<std::string>> open;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
        if (depth > 8) damaged("the header is nested too deep", where);
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
            damaged("\"" + value.get<std::string>() + "\" appears twice", where);
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::exception&) {
        damaged("the header is not JSON", where);
    }
}

/// Product of the shape times the element size, or nothing on overflow.
std::optional<std::uint64_t> bytesFor(const std::vector<std::int64_t>& shape, at::ScalarType type) {
    std::uint64_t bytes = c10::elementSize(type);
    for (const auto size : shape)
        if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) return std::nullopt;
    return bytes;
}

Entry parseEntry(const std::string& name, const Json& value, const std::string& where) {
    const auto refuse = [&](const std::string& what) { damaged("tensor \"" + name + "\" " + what, where); };
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets"))
        refuse("does not have exactly dtype, shape and data_offsets");
    const Json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
    const auto known =
        std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const DtypeName& d) { return dtype == d.name; });
    if (known == std::end(kDtypes)) refuse("has an unknown dtype");

    const auto isSize = [](const Json& number) {
        return number.is_number_unsigned() && number.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
    };
    if (!shape.is_array() || shape.size() > 16 || !std::all_of(shape.begin(), shape.end(), isSize))
        refuse("has an invalid shape");
    if (!offsets.is_array() || offsets.size() != 2 || !std::all_of(offsets.begin(), offsets.end(), isSize))
        refuse("has invalid offsets");
    Entry entry{name, known->type, shape.get<std::vector<std::int64_t>>(), offsets[0].get<std::uint64_t>(),
                offsets[1].get<std::uint64_t>()};
    const auto bytes = bytesFor(entry.shape, entry.type);
    if (entry.begin > entry.end || !bytes || *bytes != entry.end - entry.begin) refuse("has offsets that do not fit its shape");
    return entry;
}

/// Entries in the order of their data, which must cover `dataBytes` without hole or overlap.
std::vector<Entry> parseEntries(const Json& header, std::uint64_t dataBytes, const std::string& where) {
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items())
        if (name != "__metadata__") entries.push_back(parseEntry(name, value, where));
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
    std::uint64_t covered = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != covered) damaged("the data of \"" + entry.name + "\" overlap others or leave a gap", where);
        covered = entry.end;
    }
    if (covered != dataBytes) damaged("the length of the data differs from the one in the header", where);
    return entries;
}

}  // namespace

SafetensorsImage::SafetensorsImage(const NamedTensors& tensors, const std::map<std::string, std::string>& notes) {
    Json header = Json::object();
    if (!notes.empty()) header["__metadata__"] = notes;
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        const auto known = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                        [type = tensor.scalar_type()](const DtypeName& d) { return d.type == type; });
        if (known == std::end(kDtypes)) throwInvalid("unsupported dtype", name, "store float, integer or boolean tensors");
        data_.push_back(tensor.detach().to(at::kCPU).contiguous());
        const auto bytes = static_cast<std::uint64_t>(data_.back().nbytes());
        header[name] = {{"dtype", known->name}, {"shape", tensor.sizes().vec()}, {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
    }
    std::string text = header.dump();
    text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
    for (std::size_t i = 0; i < kLengthBytes; ++i) header_ += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    header_ += text;
}

std::vector<std::string_view> SafetensorsImage::parts() const {
    std::vector<std::string_view> parts{header_};
    for (const auto& tensor : data_) parts.push_back(bytesOf(tensor));
    return parts;
}

std::uint64_t SafetensorsImage::bytes() const {
    std::uint64_t total = 0;
    for (const auto part : parts()) total += part.size();
    return total;
}

std::string SafetensorsImage::joined() const {
    std::string joined;
    joined.reserve(bytes());
    for (const std::string_view part : parts()) joined += part;
    return joined;
}

NamedTensors parseSafetensors(std::string_view bytes, const std::string& where) {
    if (bytes.size() < kLengthBytes) damaged("the file is too short", where);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    if (length > kMaximalHeader) damaged("the header is larger than 100 MB", where);
    if (length > bytes.size() - kLengthBytes) damaged("the header is truncated", where);

    const auto header = parseHeader(bytes.substr(kLengthBytes, length), where);
    if (!header.is_object()) damaged("the header is not an object", where);
    const auto data = bytes.substr(kLengthBytes + length);
    NamedTensors tensors;
    for (const Entry& entry : parseEntries(header, data.size(), where)) {
        auto tensor = at::empty(entry.shape, entry.type);
        if (entry.end > entry.begin) std::memcpy(tensor.mutable_data_ptr(), data.data() + entry.begin, entry.end - entry.begin);
        tensors.emplace(entry.name, std::move(tensor));
    }
    return tensors;
}

NamedTensors readSafetensors(const std::string& path) { return parseSafetensors(readWholeFile(path, kUseAnother), path); }

}  // namespace heddle
