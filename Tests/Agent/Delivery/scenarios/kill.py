"""kill -9 at any instant: while the agent starts, works, drains or ends. After a crash the capture goes on later.

DELIVERY_KILLS says how often (200), DELIVERY_SEED with which dice."""

import os
import random
import signal
import threading
import time

from delivery import BEGIN, Capture, crowd, prove, until

KILLS = int(os.environ.get("DELIVERY_KILLS", "200"))
SEED = int(os.environ.get("DELIVERY_SEED", "1"))
LANES = 2


class Lane(threading.Thread):
    """One gateway that is killed again and again."""

    def __init__(self, house, broker, subscriber, number):
        super().__init__()
        self.house, self.subscriber = house, subscriber
        self.gateway = house.gateway(f"lane{number}", broker.port)
        self.dice = random.Random(SEED * 1_000 + number)
        self.wanted = KILLS // LANES
        self.kills = self.ends = 0
        self.faults = []

    def run(self):
        try:
            self.kill_again_and_again()
        except Exception as error:
            self.faults.append(repr(error))

    def start_s(self, capture):
        """The time from the start to the end of an almost empty run: this machine's pace."""
        begin = time.monotonic()
        self.gateway.plays(capture)
        return time.monotonic() - begin

    def wait_for_the_moment(self, child, start_s):
        """So many events after what has come before, or so long after the start: then it starts, or ends, or is anywhere."""
        if self.dice.random() < 0.3:
            time.sleep(start_s / 2 + self.dice.random() * 0.8)
            return
        seen, wanted = len(self.subscriber.messages), self.dice.randrange(1, 300)

        def is_there():
            mine = sum(topic.startswith(self.gateway.root) for topic, _, _ in self.subscriber.messages[seen:])
            return mine >= wanted or child.poll() is not None
        until(is_there, step=0.005)

    def kill_again_and_again(self):
        at, capture = BEGIN, self.house.path / f"{self.gateway.name}.btsnoop"
        start_s = self.start_s(crowd(BEGIN - 60, 1, 1, 0).write(capture))
        while self.kills < self.wanted:
            crowd(at, 6, 60, self.dice.random()).write(capture)
            child = self.gateway.replay(capture, "--speed", "12")
            self.wait_for_the_moment(child, start_s)
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
                self.kills += 1
            else:
                self.ends += 1
                if child.returncode != 0:
                    self.faults.append(f"status {child.returncode}")
            child.wait()
            # Mostly the shop is unchanged; sometimes all beacons have gone; sometimes the same capture is played again.
            at += self.dice.choice([6, 6.2, 6.5, 12, 600, 0])
        last = Capture()
        last.visit(at + 6, 1)
        last.noise(at + 6, at + 20)
        status = self.gateway.plays(last.write(capture))
        if status != 0:
            self.faults.append(f"the last replay ends with {status}")


def scenario(checks, house):
    broker = house.broker()
    with house.subscriber(broker.port) as subscriber:
        lanes = [Lane(house, broker, subscriber, number) for number in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        for lane in lanes:
            name = f"{lane.kills} kills"
            checks.none(f"{name}: a replay that nobody kills ends with 0", lane.faults)
            account = lane.gateway.delivered(checks, name, subscriber, broker.port)
            _, lasts = account.crossings()
            checks.none(
                f"{name}: who entered has left in the end",
                [topic for topic, event in lasts.items() if event["type"] == "enter"])
            checks.check(f"{name}: there was something to lose", len(account.events) > lane.kills, len(account.events))
            print(f"{name}: {len(account.events)} events, {account.duplicates} came twice, "
                  f"{lane.ends} ended by themselves")


prove(scenario)
