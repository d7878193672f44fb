# SPDX-License-Identifier: Apache-2.0
# Writes a source file with a function that returns the identity of some headers: 64 bits of a hash over their names and contents.
#   cmake -DOUTPUT=FILE -DFUNCTION=NAME -DROOT=FOLDER "-DHEADERS=FILE;…" -P identity.cmake
cmake_minimum_required(VERSION 3.25)
set(listing "")
foreach(header IN LISTS HEADERS)
  file(SHA256 "${header}" hash)
  file(RELATIVE_PATH name "${ROOT}" "${header}")  # the same wherever the tree lies
  string(APPEND listing "${hash}  ${name}\n")
endforeach()
string(SHA256 identity "${listing}")
string(SUBSTRING "${identity}" 0 16 identity)
# Hidden: the program and every library must answer for the headers that they themselves were compiled with.
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0
// Written by packaging/cmake/identity.cmake.
#include <cstdint>
namespace heddle {
[[gnu::visibility(\"hidden\")]] std::uint64_t ${FUNCTION}() { return 0x${identity}; }
}  // namespace heddle
")
