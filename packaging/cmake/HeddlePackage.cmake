# SPDX-License-Identifier: Apache-2.0
# What CPack makes of the installed files; packaging/package.sh calls it. Two Debian packages: heddle (engine and command line, no
# Qt, Apache-2.0) for servers and clusters, and heddle-studio (the window, GPL-3.0-or-later by QCustomPlot) beside it. One archive
# for other distributions has both with the libraries of Debian 12 that they need. LibTorch is in none of them.

# Manual pages, completions, icons and documents, which packaging/package_files.sh makes by running the programs.
install(DIRECTORY "${PROJECT_BINARY_DIR}/package/engine/" DESTINATION . OPTIONAL)
install(DIRECTORY "${PROJECT_BINARY_DIR}/package/studio/" DESTINATION . COMPONENT studio OPTIONAL)

set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "Heddle")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL engine)
if(HEDDLE_STUDIO)
  list(APPEND CPACK_COMPONENTS_ALL studio)
endif()

set(HEDDLE_MAINTAINER "Heddle maintainers <maintainers@heddle.invalid>" CACHE STRING "Maintainer: field of the Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${HEDDLE_MAINTAINER}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where libraries lie that belong to no package: ours, and those that `heddle setup` fetches. CPack drops others without a word;
# packaging/check.sh finds them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib" "${HEDDLE_LIBTORCH}/lib" "${HEDDLE_LIBTORCH}/../nvidia/cu13/lib")

set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "python3, python3-pip-whl | python3-pip")  # heddle setup
# The first line is the summary.
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "experiments on transformer variants
Composes transformer variants out of named blocks, trains them on a GPU or
the processor, records every run in an SQLite database and compares runs with
statistics. This package has the command line and the engine.

It computes with LibTorch 2.11, which is in no package: 'heddle setup' fetches
it with pip into the user's data folder.")

set(CPACK_DEBIAN_STUDIO_PACKAGE_NAME heddle-studio)
set(CPACK_DEBIAN_STUDIO_PACKAGE_SECTION science)
set(CPACK_DEBIAN_STUDIO_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_STUDIO_PACKAGE_RECOMMENDS "fonts-dejavu-core, fonts-noto-core, qt6-wayland, shared-mime-info")
set(CPACK_DEBIAN_STUDIO_PACKAGE_SUGGESTS "fonts-noto-cjk")
set(CPACK_COMPONENT_STUDIO_DESCRIPTION "experiments on transformer variants - window
Composes transformer variants out of named blocks, shows loss curves, gates
and the attention of each head during training, and compares runs with
statistics. This package has the window; it trains with the engine of the
package heddle.")

set(CPACK_ARCHIVE_FILE_NAME "heddle-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_FILE_NAME "${CPACK_ARCHIVE_FILE_NAME}")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/bundle.cmake")
include(CPack)
