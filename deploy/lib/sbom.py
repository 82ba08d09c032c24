#!/usr/bin/env python3
"""What a package is made of, as SPDX 2.3 in JSON, on standard output.

    sbom.py DEB RESOLVED SWIFT EPOCH [PACKAGE=VERSION...]

DEB is the package, RESOLVED SwiftPM's Package.resolved, SWIFT the compiler's version, EPOCH the second since 1970 that the
document is said to be of. Behind them stand the versions of the system's packages that it was linked against. The same
input gives the same bytes. It refuses a Swift package whose licence it has not been told.
"""

import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import urllib.parse

RUNTIME_EXCEPTION = "Apache-2.0 WITH Swift-exception"
LICENCES = {
    "swift-argument-parser": RUNTIME_EXCEPTION,
    "swift-async-algorithms": RUNTIME_EXCEPTION,
    "swift-collections": RUNTIME_EXCEPTION,
    "swift-log": "Apache-2.0",
    "swift-numerics": RUNTIME_EXCEPTION,
    "swift-service-lifecycle": "Apache-2.0",
}
SYSTEM_LICENCES = {
    "libbluetooth3": "GPL-2.0-or-later",
    "libc6": "LGPL-2.1-or-later",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libmosquitto1": "BSD-3-Clause",
    "libsqlite3-0": "blessing",
    "libssl3": "Apache-2.0",
    "libssl3t64": "Apache-2.0",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def package(name, version, licence, relationship, **more):
    """One package, and how beacond is related to it."""
    identifier = "SPDXRef-" + "".join(letter if letter.isalnum() else "-" for letter in name)
    entry = {
        "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    } | more
    return entry, {"spdxElementId": "SPDXRef-beacond", "relationshipType": relationship, "relatedSpdxElement": identifier}


def encoded(version):
    """A version as a package URL has it."""
    return urllib.parse.quote(version, safe=".~-_")


def purl(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def swift_packages(resolved):
    for pin in sorted(json.loads(pathlib.Path(resolved).read_text())["pins"], key=lambda pin: pin["identity"]):
        name, state = pin["identity"], pin["state"]
        if name not in LICENCES:
            sys.exit(f"{name}: its licence is not known; add it to deploy/lib/sbom.py and to deploy/debian/copyright")
        place = pin["location"].removesuffix(".git")
        yield package(
            name, state["version"], LICENCES[name], "STATIC_LINK", downloadLocation=f"git+{place}.git@{state['revision']}",
            externalRefs=purl(f"pkg:swift/{place.removeprefix('https://')}@{state['version']}"))


def system_packages(versions):
    for item in sorted(versions):
        name, version = item.split("=", 1)
        name, _, arch = name.partition(":")
        if name not in SYSTEM_LICENCES:
            sys.exit(f"{name}: its licence is not known; add it to deploy/lib/sbom.py and to deploy/debian/copyright")
        yield package(
            name, version, SYSTEM_LICENCES[name], "DYNAMIC_LINK", externalRefs=purl(f"pkg:deb/debian/{name}@{encoded(version)}?arch={arch}"))


def main(deb, resolved, swift, epoch, *versions):
    def field(name):
        return subprocess.run(["dpkg-deb", "-f", deb, name], check=True, capture_output=True, text=True).stdout.strip()

    digest = hashlib.sha256(pathlib.Path(deb).read_bytes()).hexdigest()
    agent, _ = package(
        "beacond", field("Version"), "GPL-3.0-or-later", "", packageFileName=pathlib.Path(deb).name,
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}], licenseDeclared="Apache-2.0",
        licenseComments="beacond's source is under Apache-2.0; the executable as a whole is under the GPL because of libbluetooth.",
        externalRefs=purl(f"pkg:deb/beacond@{encoded(field('Version'))}?arch={field('Architecture')}"))
    parts = [
        *swift_packages(resolved),
        package("swift-runtime", swift, RUNTIME_EXCEPTION, "STATIC_LINK"),
        *system_packages(versions),
    ]
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": pathlib.Path(deb).stem,
        "documentNamespace": f"https://spdx.org/spdxdocs/beacond-{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: beacond-deploy-package"]},
        "packages": [agent] + [entry for entry, _ in parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-beacond"}
        ] + [relationship for _, relationship in parts],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
