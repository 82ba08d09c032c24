"""Runs exports that are killed at their nth step: `lake_killed.py DATABASE FOLDER FROM…`. Each FROM is the number of a step.

A step is a call that changes the lake: a file is opened, closed, moved or deleted, a folder made, a commit written. The process kills itself with SIGKILL
before the step, or after it where the number ends in `+`. It prints the number and, where the export came to its end, the number of its steps.
"""

import os
import signal
import sys

from beacons_lake import export, source, storage

STEPS = ((storage.DeltaTable, "create_write_transaction"), (storage.DeltaStorageHandler, "open_output_stream"),
         (storage.DeltaStorageHandler, "move"), (storage.DeltaStorageHandler, "delete_file"), (storage.DeltaStorageHandler, "create_dir"),
         (storage.pq.ParquetWriter, "close"), (storage.pq.ParquetWriter, "write_table"))
done = 0


def count(owner, name, until, is_after):
    step = getattr(owner, name)

    def counted(*arguments, **more):
        global done
        done += 1
        number = done
        if number == until and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = step(*arguments, **more)
        if number == until:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, counted)


def run(database, folder, word):
    for owner, name in STEPS:
        count(owner, name, int(word.rstrip("+")), word.endswith("+"))
    export.export(source.Source(database), folder, settle_days=8, workers=1, say=lambda words: None)
    print(word, "ended", done, flush=True)


if __name__ == "__main__":
    run(*sys.argv[1:4])
