"""Databases that the migrations 0001 to 0031 made, which 0032 to 0048 replace. The archive has these 31 files as they were."""

import pathlib
import re
import tarfile

from beacons_schema import migrating

from servers import run

ARCHIVE = pathlib.Path(__file__).with_name("former-migrations.tar.xz")


def former_files():
    with tarfile.open(ARCHIVE) as archive:
        for name in sorted(archive.getnames()):
            yield migrating.Migration(int(name[:4]), name, archive.extractfile(name).read().decode())


def grow(connection, until):
    """Applies the former files up to a number, those that the database has left out, as the former versions did it."""
    migrating.prepare(connection)
    known = len(migrating.record(connection))
    for one in list(former_files())[known:until]:
        with connection.transaction():
            migrating.execute(connection, one.text)
            migrating.note(connection, one)
    connection.execute("SELECT beacons.make_partitions(back_days => %s)", (migrating.DAYS_BACK,))
    let_go(connection)


def let_go(connection):
    """Ends what the end of the connection would end: the lock under which migrations run."""
    connection.execute("SELECT pg_advisory_unlock_all()")


def schema_of(database, url, first, last):
    """The schema as pg_dump writes it: one text for each object, in order. Of the partitions, those of the days from `first` to `last`."""
    dump = run(database.programs / "pg_dump", "--schema-only", "--schema=beacons", url).decode()
    objects = []
    for text in re.split(r"^--\n-- Name: ", dump, flags=re.MULTILINE)[1:]:
        day = re.search(r"_(20\d{6})(?!\d)", text)
        if day and not f"{first:%Y%m%d}" <= day[1] <= f"{last:%Y%m%d}":
            continue
        heading, *lines = [line for line in text.splitlines() if line and not line.startswith(("--", "SET ", "\\"))]
        # The order of grants is that of their making.
        objects.append("\n".join([heading, *(sorted(lines) if "; Type: ACL;" in heading else lines)]))
    return sorted(objects)


def rows_of(connection, tables=None):
    """Every row of every table, as text; or of these tables."""
    if tables is None:
        tables = [name for name, in connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'beacons'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition "
            "AND relname <> 'migration' ORDER BY 1")]
    return {name: connection.execute(f"SELECT t::text FROM beacons.{name} t ORDER BY 1").fetchall() for name in tables}
