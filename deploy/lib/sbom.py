#!/usr/bin/env python3
"""Prints the components of a package, of the collector or of an image, as SPDX 2.3 in JSON.

    sbom.py DEB RESOLVED SWIFT EPOCH [PACKAGE=VERSION...]
    sbom.py collector REQUIREMENTS EPOCH
    sbom.py image NAME VERSION EPOCH COMPONENTS STATUS...

DEB is the package, RESOLVED SwiftPM's Package.resolved, SWIFT the compiler's version, EPOCH the second since 1970 that the
document is said to be of. Behind them stand the versions of the system's packages that it was linked against. REQUIREMENTS names
the collector's libraries with their hashes: deploy/chain/collector.spdx.json is made of it. COMPONENTS is what one of these forms printed. An
image consists of them and of the Debian packages whose control files are in the folders STATUS. The same input gives the same bytes. It
refuses a library whose licence it does not know.
"""

import datetime
import hashlib
import json
import pathlib
import re
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
    "zlib1g": "Zlib",
}
PYTHON_LICENCES = {
    "paho-mqtt": "EPL-2.0 OR BSD-3-Clause",
    "pika": "BSD-3-Clause",
    "psycopg": "LGPL-3.0-only",
    "psycopg-binary": "LGPL-3.0-only",
    "rfc8785": "Apache-2.0",
    "typing-extensions": "PSF-2.0",
}


def package(name, version, licence, relationship, of="beacond", **more):
    """One component, and its relation to the whole."""
    identifier = "SPDXRef-" + "".join(letter if letter.isalnum() else "-" for letter in name)
    entry = {
        "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    } | more
    return entry, {"spdxElementId": f"SPDXRef-{of}", "relationshipType": relationship, "relatedSpdxElement": identifier}


def encoded(version):
    """A version in the form of a package URL."""
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


def python_packages(requirements):
    lines = requirements.replace("\\\n", "").splitlines()
    for name, version, rest in (re.fullmatch(r"([A-Za-z0-9._-]+)==(\S+)(.*)", line).groups() for line in lines if "==" in line):
        if name not in PYTHON_LICENCES:
            sys.exit(f"{name}: its licence is not known; add it to deploy/lib/sbom.py")
        digests = re.findall(r"sha256:([0-9a-f]{64})", rest)
        if not digests:
            sys.exit(f"{name}: no file of it is named by its SHA-256; make the file with pip-compile --generate-hashes")
        yield package(
            name, version, PYTHON_LICENCES[name], "DYNAMIC_LINK", of="beacons-collector", externalRefs=purl(f"pkg:pypi/{name}@{encoded(version)}"),
            comment="one of these files, by SHA-256: " + " ".join(digests))


def installed(folders):
    """The Debian packages of an image. Licences that this program does not know are in the image, in /usr/share/doc/PACKAGE/copyright."""
    for file in sorted((file for folder in folders for file in pathlib.Path(folder).iterdir()), key=lambda file: file.name):
        fields = dict(re.findall(r"^(Package|Version|Architecture): (.*)$", file.read_text(), re.MULTILINE))
        name, version = fields["Package"], fields["Version"]
        yield package(
            name, version, SYSTEM_LICENCES.get(name, "NOASSERTION"), "CONTAINS",
            externalRefs=purl(f"pkg:deb/debian/{name}@{encoded(version)}?arch={fields['Architecture']}"))[0]


def document(name, whole, parts, digest, epoch):
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{whole['name']}-{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: beacond-deploy-package"]},
        "packages": [whole] + [entry for entry, _ in parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": whole["SPDXID"]}
        ] + [relationship for _, relationship in parts],
    }


def of_collector(requirements, epoch):
    text = pathlib.Path(requirements).read_text()
    whole, _ = package("beacons-collector", "NOASSERTION", "Apache-2.0", "")
    return document("beacons-collector", whole, list(python_packages(text)), hashlib.sha256(text.encode()).hexdigest(), epoch)


def of_package(deb, resolved, swift, epoch, *versions):
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
    return document(pathlib.Path(deb).stem, agent, parts, digest, epoch)


def of_image(name, version, epoch, components, *folders):
    """The components keep their relations. A Debian package has the version that is in the image, not the one that was linked against."""
    known = json.loads(pathlib.Path(components).read_text())
    entries = {entry["SPDXID"]: entry for entry in known["packages"]}
    entries |= {entry["SPDXID"]: entry for entry in installed(folders) if entry["name"] != name}
    whole, _ = package(f"{name}-image", version, "NOASSERTION", "")
    parts = [
        (entry, {"spdxElementId": whole["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": entry["SPDXID"]})
        for entry in entries.values()
    ]
    digest = hashlib.sha256(json.dumps(list(entries.values())).encode()).hexdigest()
    said = document(f"{name}-image", whole, parts, digest, epoch)
    said["relationships"] += [relation for relation in known["relationships"] if relation["relationshipType"] != "DESCRIBES"]
    return said


def main(*words):
    if len(words) == 3 and words[0] == "collector":
        said = of_collector(*words[1:])
    elif len(words) >= 5 and words[0] == "image":
        said = of_image(*words[1:])
    elif len(words) >= 4:
        said = of_package(*words)
    else:
        sys.exit(__doc__)
    json.dump(said, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
