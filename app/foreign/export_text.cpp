// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/export_text.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "storage/file_system.h"
#include "storage/place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuseExisting(const std::string& destination) {
    throwUsage("there is something at the destination of the export", destination,
               "give another name, or move that away first: an export replaces nothing");
}

}  // namespace

std::string exactText(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string fileNameOf(const std::string& name, const std::string& id) {
    constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    std::string safe;
    bool wasSafe = true;
    for (const char c : name) {
        const bool isSafe = kSafe.find(c) != std::string_view::npos;
        if (isSafe || wasSafe) safe += isSafe ? c : '-';
        wasSafe = isSafe;
    }
    safe += '-' + id;
    return safe.substr(std::min(safe.find_first_not_of(".-"), safe.size() - id.size()));
}

ExportFile::ExportFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wbxe")) {
    if (!file_) fail();
}

ExportFile::~ExportFile() {
    if (file_) std::fclose(file_);
}

void ExportFile::write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void ExportFile::finish() {
    if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void ExportFile::fail() const {
    const int error = errno == 0 ? EIO : errno;
    throw Error(ErrorCode::Failure, "cannot write the export: " + writeProblem(error), path_,
                writeAdvice(error) + "; nothing of the export was kept");
}

void makeExportFolder(const std::string& path) {
    std::error_code error;
    fs::create_directory(path, error);
    if (error)
        throw Error(ErrorCode::Failure, "cannot create the folder of the export: " + writeProblem(error.value()), path,
                    writeAdvice(error.value()));
}

ExportPlace::ExportPlace(const std::string& destination) {
    if (destination.empty()) throwUsage("no destination of the export", "DESTINATION", "give a name for what is written");
    const fs::path path = fs::absolute(destination).lexically_normal();
    destination_ = (path.has_filename() ? path : path.parent_path()).string();  // a folder may end with "/"
    temporary_ = fmt::format("{}.tmp-{}", destination_, ::getpid());
    std::error_code ignored;
    if (fs::symlink_status(destination_, ignored).type() != fs::file_type::not_found) refuseExisting(destination_);
    if (!fs::is_directory(fs::path(destination_).parent_path(), ignored))
        throwUsage("the folder of the destination is missing", destination_, "create it, or correct the path");
    fs::remove_all(temporary_, ignored);  // of a process that had this number and was killed
}

ExportPlace::~ExportPlace() {
    std::error_code ignored;
    if (!isFinished_) fs::remove_all(temporary_, ignored);
}

void ExportPlace::finish() {
    storage::syncToDisk(temporary_);
    if (!storage::renameIfFree(temporary_, destination_)) refuseExisting(destination_);
    isFinished_ = true;
    storage::syncToDisk(storage::folderOf(destination_));
}

}  // namespace heddle::app
