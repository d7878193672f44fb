#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Heddle and packs it into build/packages: for Debian 12 heddle_*.deb (engine and command line) and heddle-studio_*.deb (the
# window), for other Linux machines heddle-*.tar.gz with both and their libraries. LibTorch is in none of them: `heddle setup`.
#   packaging/package.sh [--deb | --tar] [FOLDER]
#     --deb, --tar   makes only the Debian packages, only the archive
#     FOLDER         a folder that does not exist yet, for the packages instead of build/packages
# The same tree gives the same bytes (packaging/reproducible.sh checks that): all dates are SOURCE_DATE_EPOCH, by default the time of
# the commit. Where there is nvcc, HEDDLE_CUDA_ARCHITECTURES names the GPUs for which the CUDA kernels are built (default: those for
# which build/release is configured; a release names "75-real;80-real;86-real;89-real;90").
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
generators="DEB;TGZ"
packages=$root/build/packages
for argument in "$@"; do
  case "$argument" in
    --deb) generators=DEB ;;
    --tar) generators=TGZ ;;
    -*) usage "$0" "$argument" ;;
    *)
      packages=$(realpath -m "$argument")
      [ ! -e "$packages" ] || fail "$packages exists already; name a new folder"
      ;;
  esac
done
cd "$root"
packaging/setup.sh --package-tools
if [ -n "${HEDDLE_CUDA_ARCHITECTURES:-}" ]; then
  cmake --preset release -DHEDDLE_CUDA_ARCHITECTURES="$HEDDLE_CUDA_ARCHITECTURES" >&2
fi
packaging/build.sh release heddle heddle-studio
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
packaging/package_files.sh release

stage "packing"
rm -rf "$packages"
umask 022
cpack --config build/release/CPackConfig.cmake -G "$generators" -B "$packages" >"$root/build/release/package/cpack.log" 2>&1 ||
  { tail -n 20 "$root/build/release/package/cpack.log" >&2; fail "cpack failed; its whole output: $root/build/release/package/cpack.log"; }
rm -rf "$packages/_CPack_Packages"
finished
grep -q '^HEDDLE_NVCC:.*/nvcc$' build/release/CMakeCache.txt ||
  say "no nvcc: the packages have no kernels for CUDA"
find "$packages" -type f -printf '%f  %s bytes\n' | sort >&2
