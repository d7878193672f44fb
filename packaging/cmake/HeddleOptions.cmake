# SPDX-License-Identifier: Apache-2.0
# What every target shares: C++20, warnings as errors, sanitizers, ccache, and a tree that can be moved.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# The first place is that of installed libraries for programs, the others are the build tree and the libraries' own folder.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/heddle;$ORIGIN/../lib;$ORIGIN")

# heddle_installed(<target>… [COMPONENT studio]): installs programs to bin and libraries to lib/heddle, which no other program
# uses. They are built with a search path that is right in both places: for another one, CMake would make room with empty elements,
# and an empty element of a search path is the folder that a user happens to be in, from where the program would take its libraries.
function(heddle_installed)
  cmake_parse_arguments(ARG "" "COMPONENT" "" ${ARGN})
  if(NOT ARG_COMPONENT)
    set(ARG_COMPONENT engine)
  endif()
  set_target_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${ARG_UNPARSED_ARGUMENTS} RUNTIME DESTINATION bin COMPONENT ${ARG_COMPONENT}
    LIBRARY DESTINATION lib/heddle COMPONENT ${ARG_COMPONENT})
endfunction()

# What a package consists of: `engine` is without Qt, `studio` is what is installed beside it for the window.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME engine)

option(HEDDLE_ENGINE "Build the engine (needs the LibTorch wheel)" ON)
option(HEDDLE_UNITY "Compile several sources at a time" ON)
option(HEDDLE_WERROR "Treat warnings as errors" ON)
set(HEDDLE_SANITIZE "" CACHE STRING "Value of -fsanitize=, e.g. address,undefined or thread")

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HEDDLE_CCACHE}")
endif()

# Ours only: third-party headers are system headers.
add_library(heddle_options INTERFACE)
# -Wno-restrict: g++ 12 sees overlaps in std::string's operator+ that are none (GCC bug 105651).
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-restrict
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
target_include_directories(heddle_options INTERFACE "${PROJECT_SOURCE_DIR}")
# An enum in a JSON document would be a number without a meaning: it is written by its word (wordOf).
target_compile_definitions(heddle_options INTERFACE HEDDLE_VERSION="${PROJECT_VERSION}" JSON_DISABLE_ENUM_SERIALIZATION=1)
if(HEDDLE_SANITIZE)
  # With a sanitizer g++ 12 takes std::regex's own objects for uninitialised (GCC bug 105562).
  target_compile_options(heddle_options INTERFACE -Wno-maybe-uninitialized)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()

# Measured with g++ 12: -O1 compiles a file of JSON in two thirds, and a test in four fifths, of the time of -O3; what these
# libraries and tests do is not worth more.
function(heddle_optimize_little target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# heddle_precompile(<target> <header> | REUSE_FROM <other target>): precompiles what nearly every file of the target sees. With a
# precompiled header, g++ 12 sees overflows in std::string's functions that are none (as bug 105651).
function(heddle_precompile target)
  if(ARGC EQUAL 2)
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/${ARGV1}")
  else()
    target_precompile_headers(${target} ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
endfunction()

# Compiles the sources of a target in groups of eight, so that g++ instantiates the templates of LibTorch and parses the headers of
# JSON, Qt and GoogleTest once for eight sources. Names in anonymous namespaces must differ between the sources of a target. g++
# treats the sources of a group as headers and warns of their types that use anonymous namespaces. Ours may use them.
function(heddle_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEDDLE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
