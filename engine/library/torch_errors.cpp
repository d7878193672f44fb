// SPDX-License-Identifier: Apache-2.0
#include "engine/library/torch_errors.h"

#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"

#include <filesystem>
#include <new>

namespace heddle {
namespace {

Error outOfMemory(const std::string& where, const std::string& detail) {
    const std::string what = "not enough memory: ";  // LibTorch's details may begin so
    return {ErrorCode::OutOfMemory, detail.starts_with(what) ? detail : what + detail, where,
            "use smaller batches with train.accumulate, or a smaller model"};
}

}  // namespace

void throwTranslated(const std::string& where, const char* next) {
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw outOfMemory(where, "an allocation failed");
    } catch (const c10::OutOfMemoryError& error) {
        throw outOfMemory(where, error.what_without_backtrace());
    } catch (const c10::AcceleratorError& error) {
        const std::string text = error.what_without_backtrace();
        if (!isADeviceLost()) throw Error(ErrorCode::Failure, text, where, next);
        setDeviceLost(text);
        throw DeviceLostError(text, where);
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        if (text.find("not enough memory") != std::string::npos) throw outOfMemory(where, text);  // the CPU allocator's words
        throw Error(ErrorCode::Failure, text, where, next);
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(ErrorCode::Failure, error.code().message(), error.path1().string(),
                    "check the path, its rights and the room on its disk");
    } catch (const Json::exception& error) {
        throwInvalid(std::string("a document has an unexpected form: ") + error.what(), where, "use another file");
    } catch (const std::exception& error) {
        throw Error(ErrorCode::Failure, error.what(), where, next);
    }
}

}  // namespace heddle
