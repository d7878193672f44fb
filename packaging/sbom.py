#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the components of a package as SPDX 2.3.

  sbom.py heddle|heddle-studio VERSION BUILD     BUILD: the build folder

Linked components are the Debian packages of the libraries that the built files name; versions are those installed. Licences are those
of packaging/components.tsv; a component without a line there is an error. Wheels come with the hashes of resources/setup. The date is
SOURCE_DATE_EPOCH.
"""
import csv
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = {
    "heddle": ("Apache-2.0", ["bin/heddle", "lib/libheddle_core.so", "lib/libheddle_engine.so", "lib/libheddle_cuda.so"]),
    "heddle-studio": ("GPL-3.0-or-later", ["bin/heddle-studio"]),
}
FETCHED = re.compile(r"lib(torch|c10|cudart|heddle_).*")


def printed(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def package_of(library):
    """The Debian package of a library, by the name that the system's loader knows."""
    places = re.findall(rf"^\s*{re.escape(library)} \(.*x86-64.*\) => (\S+)$", printed("/sbin/ldconfig", "-p"), re.M)
    for place in [os.path.realpath(path) for path in places]:
        for name in (place, place.removeprefix("/usr"), "/usr" + place):
            found = subprocess.run(["dpkg-query", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0]
    sys.exit(f"sbom.py: {library} belongs to no installed package, so that no package can depend on it")


def linked(files):
    needed = set()
    for file in files:
        needed.update(re.findall(r"NEEDED\s+(\S+)", printed("objdump", "-p", str(file))))
    return sorted({package_of(name) for name in needed if not FETCHED.fullmatch(name) and not name.startswith("ld-linux")})


def wheels():
    for listed in ("libtorch.txt", "libtorch-cuda.txt"):
        for name, version, digest in re.findall(r"^([\w-]+)==(\S+) --hash=sha256:(\w+)", (ROOT / "resources/setup" / listed).read_text(), re.M):
            yield name, version, digest


def component(name, version, licence, url, digest=None):
    row = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "licenseDeclared": licence,
        "licenseConcluded": licence,
        "copyrightText": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
    }
    if url:
        row["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}]
    if digest:
        row["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    return row


def main():
    name, version, build = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with open(ROOT / "packaging/components.tsv", encoding="utf-8") as lines:
        table = {row[0]: row[1:] for row in csv.reader((line for line in lines if not line.startswith("#")), delimiter="\t")}
    licence, files = FILES[name]
    found = linked([build / file for file in files if (build / file).exists()])
    missing = [package for package in found if table.get(package, ["", ""])[1] != "linked"]
    if missing:
        sys.exit(f"sbom.py: linked, and not in packaging/components.tsv: {', '.join(missing)}")
    debian = found + [package for package, (_, how) in table.items() if how == "compiled"]
    rows = [component(name, version, licence, None)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", rows[0]["SPDXID"])]
    for package in debian:
        at = printed("dpkg-query", "-W", "-f=${Version}", package)
        rows.append(component(package, at, table[package][0], f"pkg:deb/debian/{package}@{at}?arch=amd64&distro=bookworm"))
        relations.append((rows[0]["SPDXID"], "STATIC_LINK" if table[package][1] == "compiled" else "DYNAMIC_LINK", rows[-1]["SPDXID"]))
    for wheel, at, digest in wheels() if name == "heddle" else []:
        rows.append(component(wheel, at, table[wheel][0], f"pkg:pypi/{wheel}@{at}", digest))
        relations.append((rows[-1]["SPDXID"], "RUNTIME_DEPENDENCY_OF", rows[0]["SPDXID"]))
    references = sorted({row["licenseDeclared"] for row in rows if row["licenseDeclared"].startswith("LicenseRef-")})
    body = json.dumps(rows, sort_keys=True)
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    print(json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"urn:sha256:{hashlib.sha256(body.encode()).hexdigest()}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": rows,
        "hasExtractedLicensingInfos": [
            {"licenseId": id, "name": id[len("LicenseRef-"):].replace("-", " "), "extractedText": "In the wheel, which its owner distributes."}
            for id in references
        ],
        "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b} for a, how, b in relations],
    }, indent=1))


if __name__ == "__main__":
    main()
