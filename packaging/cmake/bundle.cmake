# SPDX-License-Identifier: Apache-2.0
# Run by CPack before it packs. Puts into the archive, not into Debian packages, what other distributions have in other versions:
# the libraries of Debian 12 that the programs need, Qt's plugins and the licences. What every Linux with glibc and a display has
# stays outside, as in AppImage's list of excluded libraries; so do LibTorch and CUDA, which `heddle setup` fetches.
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
  return()
endif()
set(tree "${CPACK_TEMPORARY_DIRECTORY}")
set(libraries "${tree}/lib/heddle")
if(NOT EXISTS "${tree}/bin/heddle")
  message(FATAL_ERROR "no programs in ${tree}")
endif()
find_program(PATCHELF patchelf REQUIRED)

# Qt's plugins: a display of X11, none, or Wayland where the plugin is installed; icons and pictures as SVG; input methods.
execute_process(COMMAND qmake6 -query QT_INSTALL_PLUGINS OUTPUT_VARIABLE plugins OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(copied)
foreach(pattern platforms/libqxcb platforms/libqoffscreen platforms/libqwayland-generic platforms/libqwayland-egl
    wayland-shell-integration/libxdg-shell wayland-graphics-integration-client/libqt-plugin-wayland-egl iconengines/libqsvgicon
    imageformats/libqsvg platforminputcontexts/* xcbglintegrations/*)
  file(GLOB found RELATIVE "${plugins}" "${plugins}/${pattern}*.so")
  list(APPEND copied ${found})
endforeach()
foreach(plugin ${copied})
  get_filename_component(folder "${plugin}" DIRECTORY)
  file(COPY "${plugins}/${plugin}" DESTINATION "${libraries}/plugins/${folder}")
endforeach()
file(WRITE "${tree}/bin/qt.conf" "[Paths]\nPrefix=../lib/heddle\nPlugins=plugins\n")

file(GLOB programs "${tree}/bin/heddle*")
file(GLOB own "${libraries}/libheddle_*.so")
file(GLOB_RECURSE modules "${libraries}/plugins/*.so")
# Of glibc and g++; of the display, its fonts and OpenGL; of LibTorch and CUDA. After AppImage's excludelist.
set(outside "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\\+\\+)\\.so" "^lib(GL|EGL|GLX|OpenGL|GLdispatch|drm|gbm|glapi)\\.so"
  "^libxcb\\.so" "^lib(X11|X11-xcb|ICE|SM|wayland-.*)\\.so" "^lib(fontconfig|freetype|harfbuzz|fribidi|expat|z|uuid|com_err)\\.so"
  "^lib(torch.*|c10.*|cudart)\\.so" "^libheddle_")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${own} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR resolved UNRESOLVED_DEPENDENCIES_VAR unresolved PRE_EXCLUDE_REGEXES ${outside})
if(unresolved)
  message(FATAL_ERROR "libraries that were not found: ${unresolved}")
endif()

set(packages)
foreach(library ${resolved})
  get_filename_component(name "${library}" NAME)
  file(REAL_PATH "${library}" real)
  file(COPY_FILE "${real}" "${libraries}/${name}")
  execute_process(COMMAND dpkg-query -S "${real}" OUTPUT_VARIABLE owner RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)  # libraries below /lib are recorded by that name
    string(REGEX REPLACE "^/usr" "" real "${real}")
    execute_process(COMMAND dpkg-query -S "${real}" OUTPUT_VARIABLE owner COMMAND_ERROR_IS_FATAL ANY)
  endif()
  string(REGEX MATCH "^[^:]+" owner "${owner}")
  list(APPEND packages "${owner}")
endforeach()

# Everything finds its libraries where it lies, and nowhere else.
function(look_in path)
  foreach(file ${ARGN})
    execute_process(COMMAND "${PATCHELF}" --set-rpath "${path}" "${file}" COMMAND_ERROR_IS_FATAL ANY)
    file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endfunction()
file(GLOB beside "${libraries}/*.so*")
list(FILTER beside EXCLUDE REGEX "/libheddle_cuda\\.so$")  # finds nothing by itself: what it needs is loaded before it
look_in("$ORIGIN/../lib/heddle" ${programs})
look_in("$ORIGIN" ${beside})
look_in("$ORIGIN/../.." ${modules})

# resources/help/install.md promises these versions of glibc and libstdc++; the loader names what is newer.
foreach(file ${programs} ${own} ${beside} ${modules})
  execute_process(COMMAND objdump -T "${file}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "GLIBC_2\\.(3[6-9]|[4-9][0-9])|GLIBCXX_3\\.4\\.(3[1-9]|[4-9][0-9])" newer "${symbols}")
  if(newer)
    message(FATAL_ERROR "${file} needs ${newer}, which is newer than what install.md promises")
  endif()
endforeach()

# The licences of what is inside.
file(MAKE_DIRECTORY "${tree}/share/doc/heddle/licences")
foreach(licence Apache-2.0 GPL-2 GPL-3 LGPL-2.1 LGPL-3)
  file(COPY_FILE "/usr/share/common-licenses/${licence}" "${tree}/share/doc/heddle/licences/${licence}")
endforeach()
list(APPEND packages libqt6gui6 libqt6svg6)  # of the plugins
list(REMOVE_DUPLICATES packages)
list(SORT packages)
foreach(package ${packages})
  file(COPY_FILE "/usr/share/doc/${package}/copyright" "${tree}/share/doc/heddle/licences/${package}")
endforeach()
list(LENGTH packages count)
message(STATUS "libraries of ${count} Debian packages are inside")
