# SPDX-License-Identifier: Apache-2.0
# CTest reads this file before its first test; its tests inherit the variables that are set here.
# Threads of LibTorch sleep while they wait: where tests run beside each other, a spinning thread takes the processor from the one
# that it waits for.
if(NOT DEFINED ENV{GOMP_SPINCOUNT})
  set(ENV{GOMP_SPINCOUNT} 0)
endif()
# Files of tests are in memory where there is room for them: databases and checkpoints wait for the disk at every commit, and
# whether a commit outlives the machine is nothing that these tests can see.
set(least_room 4096)  # MiB
if(NOT DEFINED ENV{TMPDIR})
  execute_process(COMMAND df --output=fstype,avail --block-size=1M /dev/shm OUTPUT_VARIABLE room ERROR_QUIET)
  if(room MATCHES "tmpfs +([0-9]+)" AND NOT CMAKE_MATCH_1 LESS least_room)
    set(ENV{TMPDIR} /dev/shm)
  endif()
endif()
