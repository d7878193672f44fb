// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace heddle::app {

/// Passes text on to another stream with every character that could steer a terminal escaped (engine/base/printable.h); line
/// feeds and tabs stay. A character may be written in pieces.
class EscapingBuffer final : public std::streambuf {
public:
    explicit EscapingBuffer(std::ostream& to) : to_(to) {}
    ~EscapingBuffer() override;

protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type character) override;
    int sync() override;

private:
    void pass(std::string_view text);

    std::ostream& to_;
    std::string cut_;  ///< the beginning of a character whose rest was not written yet
};

/// A stream over it. The target must outlive it.
class EscapingStream final : public std::ostream {
public:
    explicit EscapingStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) { rdbuf(&buffer_); }

private:
    EscapingBuffer buffer_;
};

}  // namespace heddle::app
