"""A disk whose writes and flushes are all remembered, so that it can be had as a power cut at any instant leaves it."""

import os
import pathlib
import shutil
import signal
import struct
import subprocess

from waiting import until

SECTOR = 512
# ext4 writes its two sectors in place, and mounts no disk that has one of them from before.
SUPERBLOCK = 1024
FLUSH = 1
# As `struct log_write_super` and `struct log_write_entry` of dm-log-writes, which qemu writes as well.
MAGIC, SUPER, ENTRY = 0x6A736677736872, struct.Struct("<QQQI"), struct.Struct("<QQQQ")


def lacks():
    """The reason why there can be no such disk here; nothing where there can."""
    if os.geteuid() != 0:
        return "mounting a disk needs root"
    for file in ("/dev/fuse", "/dev/loop-control"):
        if not pathlib.Path(file).exists():
            return f"no {file}"
    said = subprocess.run(["qemu-storage-daemon", "--help"], capture_output=True, text=True, check=False).stdout
    return "" if "type=]fuse" in said else "this qemu-storage-daemon exports nothing over FUSE"


def file_system(path, size=16 << 20):
    """An empty ext4 as a file."""
    with path.open("wb") as file:
        file.truncate(size)
    subprocess.run(["mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", path], check=True)
    return path


def with_writes(path, base, writes):
    """The disk `base` after some writes, as another file. `writes` are (offset, octets), in order."""
    shutil.copyfile(base, path)
    with path.open("r+b") as image:
        for offset, octets in writes:
            image.seek(offset)
            image.write(octets)
    return path


class RecordedDisk:
    """An ext4 file system on a disk that logs each write and each flush: a file, qemu's log of writes, FUSE and a loop device."""

    def __init__(self, house, name):
        self.house, self.folder, self.daemon = house, house.path / name, None
        self.image, self.log, self.export = (house.path / f"{name}.{one}" for one in ("image", "log", "export"))
        self.export.touch()
        self.folder.mkdir()
        house.stack.callback(self.remove)

    def insert(self, base):
        """The disk begins as the file `base`, and with an empty log."""
        shutil.copyfile(base, self.image)
        self.log.write_bytes(b"")
        self.daemon = self.house.start(
            ["qemu-storage-daemon", "--blockdev", f"driver=file,filename={self.image},node-name=image",
             "--blockdev", f"driver=file,filename={self.log},node-name=log",
             "--blockdev", "driver=blklogwrites,node-name=disk,file=image,log=log",
             "--export", f"type=fuse,id=disk,node-name=disk,mountpoint={self.export},writable=on"])
        if not until(lambda: self.daemon.poll() is not None or self.export.stat().st_size > 0) or self.daemon.poll() is not None:
            raise RuntimeError("qemu-storage-daemon did not export the disk")
        self.device = subprocess.run(
            ["losetup", "--find", "--show", self.export], check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run(["mount", "-o", "errors=remount-ro", self.device, self.folder], check=True)

    def position(self):
        """The length of the written log."""
        return self.log.stat().st_size

    def remove(self):
        """In order: only qemu writes the end of its log."""
        if self.daemon is None:
            return
        subprocess.run(["umount", "-l", self.folder], stderr=subprocess.DEVNULL)
        subprocess.run(["losetup", "--detach", self.device], stderr=subprocess.DEVNULL)
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait()
        subprocess.run(["umount", "-l", self.export], stderr=subprocess.DEVNULL)
        self.daemon = None

    def entries(self):
        """Each write and flush, in order: (position behind it, offset on the disk, octets, whether it is a flush)."""
        log = self.log.read_bytes()
        magic, version, count, sector = SUPER.unpack_from(log)
        if (magic, version) != (MAGIC, 1):
            raise RuntimeError(f"no log of writes: {magic:#x}, version {version}")
        entries, position = [], sector
        for _ in range(count):
            begin, sectors, flags, _ = ENTRY.unpack_from(log, position)
            position += sector
            # A discard has a length and no octets. The file system is mounted without.
            length = sectors * sector
            entries.append((position + length, begin * sector, log[position:position + length], bool(flags & FLUSH)))
            position += length
        return entries


class CutDisk:
    """The disk after a power cut: everything written before the last completed flush, and a random part of the later writes."""

    def __init__(self, house, name, base):
        self.image, self.folder = house.path / f"{name}.image", house.path / name
        self.base, self.is_mounted = base, False
        self.folder.mkdir()
        house.stack.callback(self.pull)

    def insert(self, writes):
        """`writes` are (offset, octets), in order."""
        self.pull()
        with_writes(self.image, self.base, writes)
        subprocess.run(["mount", "-o", "loop,errors=remount-ro", self.image, self.folder], check=True)
        self.is_mounted = True

    def pull(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], stderr=subprocess.DEVNULL)
            self.is_mounted = False


def flushes(entries):
    """The places in the log where a flush completed."""
    return [index for index, (_, _, _, is_flush) in enumerate(entries) if is_flush]


def left_by(entries, flush, end, dice):
    """The writes that are on the disk: all before `flush`, which is -1 before the first one, and of those behind it and before `end` some,
    some of them in part."""
    writes = [(offset, octets) for _, offset, octets, _ in entries[:flush + 1] if octets]
    for _, offset, octets, _ in entries[flush + 1:end]:
        fate = dice.random()
        if fate < 0.4:
            writes.append((offset, octets))
        elif fate < 0.6:
            length = SECTOR * dice.randrange(len(octets) // SECTOR + 1)
            if offset + length == SUPERBLOCK + SECTOR:
                length = max(length - SECTOR, 0)
            writes.append((offset, octets[:length]))
    return writes
