// SPDX-License-Identifier: Apache-2.0
// The texts of exports, and the files they are written to.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::app {

/// The shortest decimal text that reads back as this double, with a point or an exponent, so that no reader takes it for a
/// whole number; "NaN", "Infinity", "-Infinity".
std::string exactText(double value);

/// The name without what is unsafe in a name of a file, then the id: "eau-base-3f2a09b71c55".
std::string fileNameOf(const std::string& name, const std::string& id);

/// A new file that is written in order. Throws Error(Failure) naming the file and the system's reason.
class ExportFile {
public:
    explicit ExportFile(std::string path);
    ExportFile(const ExportFile&) = delete;
    ExportFile& operator=(const ExportFile&) = delete;
    ~ExportFile();

    void write(std::string_view bytes);
    /// Flushes the file to disk and closes it.
    void finish();

private:
    [[noreturn]] void fail() const;

    std::string path_;
    std::FILE* file_;
};

/// Creates a folder of an export. Throws Error(Failure) naming it and the system's reason.
void makeExportFolder(const std::string& path);

/// The place of an export. It is written under a temporary name beside its destination, and gets its own name when it is whole.
class ExportPlace {
public:
    /// Throws Error(Usage) where there is something at the destination, or its folder is missing.
    explicit ExportPlace(const std::string& destination);
    ExportPlace(const ExportPlace&) = delete;
    ExportPlace& operator=(const ExportPlace&) = delete;
    /// Removes what was written, unless it was finished.
    ~ExportPlace();

    const std::string& temporary() const { return temporary_; }
    /// Throws as the constructor, where the destination appeared meanwhile.
    void finish();

private:
    std::string destination_, temporary_;
    bool isFinished_ = false;
};

}  // namespace heddle::app
