# SPDX-License-Identifier: Apache-2.0
# LibTorch 2.11.0 as the wheel `torch==2.11.0` brings it (packaging/setup.sh unpacks it into .deps/torch-2.11.0). Its own
# TorchConfig.cmake insists on a CUDA toolkit, so the libraries are imported here by hand.
#
#   HEDDLE_LIBTORCH   folder that holds include/ and lib/ (cache or environment variable)
#
# Defines heddle::torch (headers, libc10, libtorch_cpu, libtorch).
if(NOT HEDDLE_ENGINE)
  return()
endif()
set(HEDDLE_LIBTORCH "$ENV{HEDDLE_LIBTORCH}" CACHE PATH "Folder of the torch package: include/, lib/")
if(NOT HEDDLE_LIBTORCH)
  set(HEDDLE_LIBTORCH "${PROJECT_SOURCE_DIR}/.deps/torch-2.11.0/torch" CACHE PATH "" FORCE)
endif()
if(NOT EXISTS "${HEDDLE_LIBTORCH}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch 2.11.0 not found in ${HEDDLE_LIBTORCH}.\n"
    "Run packaging/setup.sh, or set HEDDLE_LIBTORCH to the 'torch' folder of a Python that has torch 2.11.")
endif()

add_library(heddle_torch INTERFACE)
add_library(heddle::torch ALIAS heddle_torch)
target_include_directories(heddle_torch SYSTEM INTERFACE
  "${HEDDLE_LIBTORCH}/include" "${HEDDLE_LIBTORCH}/include/torch/csrc/api/include")
target_compile_definitions(heddle_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
# at::parallel_for is a template: without OpenMP it runs on one thread. Nothing is linked for it, for LibTorch brings its OpenMP
# library, and a second one would have threads of its own.
target_compile_options(heddle_torch INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fopenmp>")
# --allow-shlib-undefined: libtorch_cpu.so names CUDA run-time libraries that lie elsewhere; it finds them by its own rpath.
target_link_libraries(heddle_torch INTERFACE
  "${HEDDLE_LIBTORCH}/lib/libtorch_cpu.so" "${HEDDLE_LIBTORCH}/lib/libc10.so" "-Wl,--allow-shlib-undefined")
