"""The lake in a Spark cluster of a master and two workers, each a process: its views are those of PostgreSQL."""

import os
import pathlib
import time

import psycopg
import pyspark
from pyspark.sql import SparkSession

from lake import LAST, QUERIES, VIEWS, LakeTest, crowd, rounded
from servers import Server, wait_until
from story import event, rows_of, span


class Daemon(Server):
    """A master, or with `master` a worker of it that has one core."""

    def __init__(self, master=None):
        super().__init__("spark")
        self.master = master

    def command(self):
        kind, *more = ("worker.Worker", "--cores", 1, "--memory", "1g", "--work-dir", self.folder, self.master) if self.master else ("master.Master",)
        return [pathlib.Path(pyspark.__file__).parent / "bin/spark-class", f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", "--port", self.port,
                "--webui-port", 0, *more]

    def environment(self):
        return {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(self.folder), "SPARK_DAEMON_MEMORY": "256m"}

    def is_up(self):
        return ("Successfully registered with master" if self.master else "I have been elected leader") in self.said()

    @property
    def url(self):
        return f"spark://127.0.0.1:{self.port}"


class SparkTests(LakeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        began = time.monotonic()
        # Rows come as times of the process's own zone. The views must not depend on the session's.
        os.environ["TZ"] = "UTC"
        time.tzset()
        master = cls.enterClassContext(Daemon())
        for _ in range(2):
            cls.enterClassContext(Daemon(master.url))
        cls.spark = (SparkSession.builder.master(master.url).config("spark.executor.memory", "512m")
                     .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2").config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
                     .config("spark.sql.session.timeZone", "Asia/Kolkata").getOrCreate())
        cls.addClassCleanup(cls.spark.stop)
        print(f"figure: Spark started in {time.monotonic() - began:.0f} s")

    def view(self, name):
        text = (QUERIES / "spark" / f"{name}.sql").read_text().replace("{lake}", str(self.folder))
        self.spark.sql(text)
        return rounded(tuple(row) for row in self.spark.table(name).collect())

    def test_both_workers_take_part(self):
        # The driver, and an executor on each worker.
        wait_until(lambda: self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() == 3, lambda: "only one worker takes part")

    def test_views_are_those_of_postgresql(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            for seed in range(2):
                self.site = f"store-{seed}"
                self.assertEqual(set(self.take(crowd(seed), connection)), {"new"})
            self.export()
            # A day that is exported again has one file, and no row twice.
            self.take([span(50, "door", "20:00", "21:00"), *(event(row) for row in rows_of("""
                seq   at        type  entered  heard
                9001  20:30:20  exit  20:15    20:30
            """))], connection)
            self.export()
            connection.execute("SELECT beacons.roll_up()")
            end = self.last_hour(connection, LAST)
            for view, of_postgresql in VIEWS.items():
                self.assertEqual(self.view(view), self.expected(connection, of_postgresql, end), view)
