#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of the guide with the built studio, of the sample study that packaging/run.sh trains: docs/pictures/PAGE.png.
#   docs/pictures.sh [DATABASE]     default: runs.heddle beside README.md
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -*) usage "$0" "$1" ;; esac
database=${1:-$root/runs.heddle}
[ -e "$database" ] || fail "$database does not exist; packaging/run.sh makes it"
shots=$(mktemp -d)
trap 'rm -rf "$shots"' EXIT
"$root/build/release/bin/heddle-studio" --shots "$shots" --theme light --size 1440x900 "$database"
for picture in "$shots"/*.png; do
  name=${picture##*/}
  cp "$picture" "$root/docs/pictures/${name%%-*}.png"
done
