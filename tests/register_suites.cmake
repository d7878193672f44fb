# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=file -DLIST=file -DTIMEOUT=seconds -DLABEL=word -DENVIRONMENT=variable=value -P register_suites.cmake
# Asks a GoogleTest program for its suites and writes a file for CTest with one test, PROGRAM.SUITE, for each.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${ENVIRONMENT} "${PROGRAM}" --gtest_list_tests
  OUTPUT_VARIABLE output RESULT_VARIABLE result TIMEOUT 60)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${result}")
endif()
get_filename_component(program "${PROGRAM}" NAME)
string(REGEX REPLACE "[[;]|]" "" output "${output}")  # what CMake's lists do not bear, in the comments on parameters
string(REPLACE "\n" ";" lines "${output}")
set(text "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+\\.)( |$)")  # a suite; its tests follow, indented
    set(suite "${CMAKE_MATCH_1}")
    string(REGEX REPLACE "\\.$" "" name "${program}.${suite}")
    string(APPEND text "add_test(\"${name}\" \"${PROGRAM}\" \"--gtest_filter=${suite}*\")\n"
      "set_tests_properties(\"${name}\" PROPERTIES TIMEOUT ${TIMEOUT} LABELS \"${LABEL}\" ENVIRONMENT \"${ENVIRONMENT}\")\n")
  endif()
endforeach()
if(text STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE "${LIST}" "${text}")
