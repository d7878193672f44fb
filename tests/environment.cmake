# SPDX-License-Identifier: Apache-2.0
# CTest reads this before its first test; what is set here, its tests find in their environment.
# Threads of LibTorch wait asleep: where tests run beside each other, a thread that spins takes its processor from the one that it
# waits for.
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
