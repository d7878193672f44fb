// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/errors.h"

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "storage/records.h"

#include <filesystem>
#include <new>

namespace heddle::app {
namespace {

ErrorCode codeOf(storage::StorageError::Kind kind) {
    using Kind = storage::StorageError::Kind;
    switch (kind) {
    case Kind::Locked:
    case Kind::Full:
    case Kind::InputOutput: return ErrorCode::Failure;
    case Kind::NoDatabase:
    case Kind::NotFound:
    case Kind::NotADatabase:
    case Kind::NewerSchema:
    case Kind::Corrupt:
    case Kind::Invalid: return ErrorCode::InvalidInput;
    }
    return ErrorCode::Failure;
}

/// What to do, with the option of commands that names a database: storage knows of no options.
std::string nextOf(const storage::StorageError& error) {
    return error.kind() == storage::StorageError::Kind::NoDatabase ? error.next() + " (--db FILE)" : error.next();
}

}  // namespace

Error asError(const std::exception_ptr& exception, const std::string& where) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return error;
    } catch (const storage::StorageError& error) {
        return {codeOf(error.kind()), error.problem(), error.where(), nextOf(error)};
    } catch (const std::filesystem::filesystem_error& error) {
        return {ErrorCode::Failure, error.code().message(), error.path1().empty() ? where : error.path1().string(),
                "check the path, its rights and the room on its disk"};
    } catch (const Json::exception& error) {  // a value in a stored document has an unexpected type
        return {ErrorCode::InvalidInput, std::string("a document has an unexpected form: ") + error.what(), where,
                "use another run or file; runs that Heddle recorded itself can be read"};
    } catch (const std::bad_alloc&) {
        return {ErrorCode::OutOfMemory, "out of memory", where, "use smaller batches (train.batch.tokens) or a smaller model"};
    } catch (const std::exception& error) {
        return {ErrorCode::Failure, error.what(), where, kReportBug};
    }
}

}  // namespace heddle::app
