"""The lake in a real Spark with two workers: its views are those of PostgreSQL."""

import os
import time
import unittest

import psycopg
from pyspark.sql import SparkSession

from lake import LAST, QUERIES, VIEWS, LakeTest, crowd, rounded
from story import event, rows_of, span


class SparkTests(LakeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        began = time.monotonic()
        # Rows come as times of the process's own zone. The views must not depend on the session's.
        os.environ["TZ"] = "UTC"
        time.tzset()
        cls.spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
                     .config("spark.sql.shuffle.partitions", "2").config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
                     .config("spark.sql.session.timeZone", "Asia/Kolkata").getOrCreate())
        cls.addClassCleanup(cls.spark.stop)
        print(f"figure: Spark started in {time.monotonic() - began:.0f} s")

    def view(self, name):
        text = (QUERIES / "spark" / f"{name}.sql").read_text().replace("{lake}", str(self.folder))
        self.spark.sql(text)
        return rounded(tuple(row) for row in self.spark.table(name).collect())

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


if __name__ == "__main__":
    unittest.main()
