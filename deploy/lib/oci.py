#!/usr/bin/env python3
"""Writes an OCI image for several architectures as one archive (oci-archive), and prints its digest, layers and sizes.

    oci.py ARCHIVE EPOCH DESCRIPTION ARCH=FOLDER...

DESCRIPTION is a JSON file: `name`, `tag`, `config` (as the image specification has it) and `annotations`. A FOLDER has a folder for
each layer, in the order of their names, `1-base` before `2-libraries`. In it, `root` is unpacked at /. The optional `owned` names
paths with another owner than root: lines of `USER MODE PATH`. The optional `capable` names programs with CAP_NET_RAW: lines of `PATH`.
EPOCH is the second since 1970 at which the image is said to be made.

One input always gives one archive, byte for byte. Files have the time 0, so that a layer with unchanged contents stays the same layer
in later images.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import stat
import struct
import sys
import tarfile

MEDIA = "application/vnd.oci.image."
CAP_NET_RAW = 13
# linux/capability.h: VFS_CAP_REVISION_2 with VFS_CAP_FLAGS_EFFECTIVE; permitted and inheritable, each in two words.
FILE_CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << CAP_NET_RAW, 0, 0, 0)


class Layout:
    """The blobs of an image, by their digests."""

    def __init__(self):
        self.blobs = {}

    def add(self, kind, blob, **more):
        """Keeps a blob. Returns its descriptor."""
        digest = hashlib.sha256(blob).hexdigest()
        self.blobs[digest] = blob
        return {"mediaType": MEDIA + kind, "digest": f"sha256:{digest}", "size": len(blob)} | more

    def add_json(self, kind, content, **more):
        return self.add(kind, encoded(content), **more)

    def write(self, path, index):
        """Writes the archive. Its files are sorted, and have neither time nor owner of this machine."""
        files = {"index.json": encoded(index), "oci-layout": encoded({"imageLayoutVersion": "1.0.0"})}
        files |= {f"blobs/sha256/{digest}": blob for digest, blob in self.blobs.items()}
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name in ("blobs", "blobs/sha256"):
                archive.addfile(member(name, 0o755, tarfile.DIRTYPE))
            for name in sorted(files):
                entry = member(name, 0o644)
                entry.size = len(files[name])
                archive.addfile(entry, io.BytesIO(files[name]))


def encoded(content):
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def member(name, mode, kind=tarfile.REGTYPE):
    entry = tarfile.TarInfo(name)
    entry.mode, entry.type = mode, kind
    return entry


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


def layer(folder):
    """The uncompressed tar archive of a layer."""
    root = folder / "root"
    owned = {words[2]: (int(words[0]), int(words[1], 8)) for words in map(str.split, lines_of(folder / "owned"))}
    capable = set(lines_of(folder / "capable"))
    forgotten = [path for path in sorted(owned.keys() | capable) if not (root / path).exists()]
    if forgotten:
        sys.exit(f"{folder}: not in the layer: {' '.join(forgotten)}")
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            add(archive, path, path.relative_to(root).as_posix(), owned, capable)
    return output.getvalue()


def add(archive, path, name, owned, capable):
    """Adds a file, a folder or a link. Every user may read it, whatever the umask of a checkout was. No program keeps a set-user-id bit."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        entry = member(name, 0o777, tarfile.SYMTYPE)
        entry.linkname = os.readlink(path)
    elif stat.S_ISDIR(status.st_mode):
        entry = member(name, 0o755, tarfile.DIRTYPE)
    elif stat.S_ISREG(status.st_mode):
        entry = member(name, 0o755 if status.st_mode & 0o100 else 0o644)
    else:
        sys.exit(f"{path}: an image has files, folders and links only")
    if name in owned:
        user, entry.mode = owned[name]
        entry.uid = entry.gid = user
    if name in capable:
        entry.pax_headers = {"SCHILY.xattr.security.capability": FILE_CAPABILITY.decode("ascii")}
    if not entry.isreg():
        archive.addfile(entry)
        return
    entry.size = status.st_size
    with path.open("rb") as content:
        archive.addfile(entry, content)


def image(layout, arch, folder, description, created):
    """Adds the image of one architecture. Returns its descriptor, and a line of text for each layer."""
    layers, contents, history, said = [], [], [], []
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        tar = layer(part)
        packed = gzip.compress(tar, 6, mtime=0)
        layers.append(layout.add("layer.v1.tar+gzip", packed))
        contents.append("sha256:" + hashlib.sha256(tar).hexdigest())
        history.append({"created": created, "created_by": f"deploy/image: {part.name}"})
        said.append(f"{arch:5}  {part.name:12}  {len(packed) / 2**20:6.1f} MiB packed {len(tar) / 2**20:6.1f} MiB unpacked  {layers[-1]['digest']}")
    config = layout.add_json("config.v1+json", {
        "architecture": arch, "os": "linux", "created": created, "config": description["config"] | {"Labels": description["annotations"]},
        "rootfs": {"type": "layers", "diff_ids": contents}, "history": history,
    } | ({"variant": "v8"} if arch == "arm64" else {}))
    manifest = {
        "schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json", "config": config, "layers": layers,
        "annotations": description["annotations"],
    }
    platform = {"architecture": arch, "os": "linux"} | ({"variant": "v8"} if arch == "arm64" else {})
    return layout.add_json("manifest.v1+json", manifest, platform=platform), said


def main(archive, epoch, description, *folders):
    described = json.loads(pathlib.Path(description).read_text())
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    described["annotations"]["org.opencontainers.image.created"] = created
    layout, manifests = Layout(), []
    for arch, folder in sorted(item.split("=", 1) for item in folders):
        descriptor, said = image(layout, arch, pathlib.Path(folder), described, created)
        manifests.append(descriptor)
        print(*said, sep="\n")
    index = {
        "schemaVersion": 2, "mediaType": MEDIA + "index.v1+json", "manifests": manifests, "annotations": described["annotations"],
    }
    name = f"{described['name']}:{described['tag']}"
    whole = layout.add_json("index.v1+json", index, annotations={
        "org.opencontainers.image.ref.name": described["tag"], "io.containerd.image.name": f"localhost/{name}",
    })
    layout.write(archive, {"schemaVersion": 2, "mediaType": MEDIA + "index.v1+json", "manifests": [whole]})
    print(name, whole["digest"])
    print(archive)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
