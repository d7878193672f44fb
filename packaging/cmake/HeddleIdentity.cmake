# SPDX-License-Identifier: Apache-2.0
# heddle_identity(<target> <function> <header>…): an object library with heddle::<function>(), the identity of the headers as they
# are when it is built. Two modules that both contain its objects can check whether they were compiled with the same headers.
function(heddle_identity target function)
  set(source "${PROJECT_BINARY_DIR}/identity/${target}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/packaging/cmake/identity.cmake")
  add_custom_command(OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${source}" "-DFUNCTION=${function}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DHEADERS=${ARGN}"
      -P "${script}"
    DEPENDS ${ARGN} "${script}" VERBATIM)
  add_library(${target} OBJECT "${source}")
endfunction()
