// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/wire.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::app {
namespace {

constexpr std::uint64_t kLengthBytes = 8, kCrcBytes = 4, kLongest = std::uint64_t{1} << 30;

constexpr std::array<std::uint32_t, 256> crcTable() {
    constexpr std::uint32_t kCastagnoli = 0x82F63B78U;  // reflected
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kCastagnoli : 0U);
        table[byte] = crc;
    }
    return table;
}

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

template <class Number>
std::string littleEndianBytes(Number value) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(Number); ++i, value = static_cast<Number>(value >> 8U))
        bytes += static_cast<char>(value & 0xFFU);
    return bytes;
}

/// CRC-32C (Castagnoli, RFC 3720 B.4), rotated and shifted as record files have it.
std::uint32_t maskedCrc(std::string_view bytes) {
    static constexpr auto kTable = crcTable();
    std::uint32_t crc = ~0U;
    for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8U);
    return std::rotr(~crc, 15) + 0xA282EAD8U;
}

}  // namespace

std::uint32_t fixed32(std::string_view bytes) { return static_cast<std::uint32_t>(littleEndian(bytes.substr(0, 4))); }
std::uint64_t fixed64(std::string_view bytes) { return littleEndian(bytes.substr(0, 8)); }

std::optional<std::uint64_t> recordLength(std::string_view bytes) {
    if (bytes.size() < kLengthBytes + kCrcBytes) return std::nullopt;
    if (maskedCrc(bytes.substr(0, kLengthBytes)) != fixed32(bytes.substr(kLengthBytes))) return std::nullopt;
    return fixed64(bytes);
}

std::string RecordReader::place() const { return fmt::format("{}, record {}", path_, number_); }

bool RecordReader::take(std::string& into, std::uint64_t bytes) {
    into.clear();
    while (into.size() < bytes) {
        if (block_.empty()) block_ = reader_.read();
        if (block_.empty()) {
            if (into.empty()) return false;
            throwInvalid("the file ends within a record", place(), "the file is truncated: download or copy it again");
        }
        const std::size_t part = std::min<std::size_t>(block_.size(), bytes - into.size());
        into.append(block_.substr(0, part));
        block_.remove_prefix(part);
    }
    return true;
}

bool RecordReader::next(std::string& record) {
    std::string head;
    ++number_;
    if (!take(head, kLengthBytes + kCrcBytes)) return false;
    refuseMany(static_cast<std::uint64_t>(number_), "records", reader_, path_);
    const auto length = recordLength(head);
    if (!length)
        throwInvalid("wrong checksum of the length of a record", place(), "the file is damaged: download or copy it again");
    if (*length > kLongest)
        throwInvalid(fmt::format("a record of {} bytes", *length), place(), "events of more than 1 GiB are not supported");
    if (!take(record, *length + kCrcBytes))
        throwInvalid("the file ends within a record", place(), "the file is truncated: download or copy it again");
    const std::string_view whole = record;
    if (maskedCrc(whole.substr(0, *length)) != fixed32(whole.substr(*length)))
        throwInvalid("wrong checksum of a record", place(), "the file is damaged: download or copy it again");
    record.resize(*length);
    return true;
}

std::string framed(std::string_view data) {
    const std::string length = littleEndianBytes(std::uint64_t{data.size()});
    return length + littleEndianBytes(maskedCrc(length)) + std::string(data) + littleEndianBytes(maskedCrc(data));
}

void MessageWriter::plain(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) text_ += static_cast<char>((value & 0x7FU) | 0x80U);
    text_ += static_cast<char>(value);
}

void MessageWriter::tag(std::uint64_t field, unsigned wire) { plain(field << 3U | wire); }

MessageWriter& MessageWriter::varint(std::uint64_t field, std::uint64_t value) {
    tag(field, 0);
    plain(value);
    return *this;
}

MessageWriter& MessageWriter::number(std::uint64_t field, double value) {
    tag(field, 1);
    text_ += littleEndianBytes(std::bit_cast<std::uint64_t>(value));
    return *this;
}

MessageWriter& MessageWriter::number(std::uint64_t field, float value) {
    tag(field, 5);
    text_ += littleEndianBytes(std::bit_cast<std::uint32_t>(value));
    return *this;
}

MessageWriter& MessageWriter::bytes(std::uint64_t field, std::string_view value) {
    tag(field, 2);
    plain(value.size());
    text_ += value;
    return *this;
}

MessageWriter& MessageWriter::packed(std::uint64_t field, const std::vector<double>& values) {
    std::string all;
    for (const double value : values) all += littleEndianBytes(std::bit_cast<std::uint64_t>(value));
    return bytes(field, all);
}

void MessageReader::fail() const { throwInvalid("not an event", place_, "use files that TensorBoard can read"); }

std::string_view MessageReader::take(std::uint64_t bytes) {
    if (bytes > rest_.size()) fail();
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
}

std::uint64_t MessageReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(take(1).front());
        value |= std::uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) return value;
    }
    fail();
}

bool MessageReader::next(Field& field) {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    field = {tag >> 3U, Field::Wire::Varint, 0, {}};
    switch (tag & 7U) {
    case 0: field.value = varint(); break;
    case 1: field.wire = Field::Wire::Fixed64, field.bytes = take(8); break;
    case 2: field.wire = Field::Wire::Bytes, field.bytes = take(varint()); break;
    case 5: field.wire = Field::Wire::Fixed32, field.bytes = take(4); break;
    default: fail();
    }
    return true;
}

}  // namespace heddle::app
