#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the programs of build/release twice, the second time with another clock zone, language, rights of new files and user's
# folder, and asks whether the packages are equal byte by byte. The programs themselves are compiled once.
#   packaging/reproducible.sh [--deb | --tar]
# Prints the SHA-256 of each package; exit code 1 where two differ. SOURCE_DATE_EPOCH replaces the date of the commit.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in "" | --deb | --tar) ;; *) usage "$0" "$1" ;; esac
twice=$(mktemp -d)
trap 'rm -rf "$twice"' EXIT
"$root/packaging/package.sh" "$@" "$twice/first"
sleep 2  # so that times of files differ
mkdir "$twice/home"
(umask 027 && env TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANG=de_DE HOME="$twice/home" "$root/packaging/package.sh" "$@" "$twice/second")
status=0
for package in "$twice"/first/*; do
  name=$(basename "$package")
  if cmp "$package" "$twice/second/$name"; then
    echo "$(sha256sum <"$package" | cut -d ' ' -f 1)  $name"
  else
    status=1
    say "$name is not the same when it is packed again"
  fi
done
[ "$(find "$twice/first" -type f | wc -l)" -eq "$(find "$twice/second" -type f | wc -l)" ] || fail "one has more packages than the other"
exit "$status"
