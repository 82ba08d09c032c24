"""The situation of most tests: a broker, an operator and an agent that is online."""

import shutil
import unittest

from gateway import NAME, Gateway, Operator
from servers import Mosquitto, scratch_folder, wait_until


class Situation(unittest.TestCase):
    """Each test has a broker of its own, and ends what it starts."""

    limits = "max_queued_messages 0\nautosave_interval 1\n"

    def setUp(self):
        self.folder = scratch_folder("settings")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.broker = Mosquitto(self.limits)
        self.addCleanup(self.broker.__exit__)

    def operator(self):
        one = Operator(self.broker.port)
        self.addCleanup(one.close)
        return one

    def gateway(self, name=NAME, **options):
        one = Gateway(self.folder, self.broker.port, name, **options)
        self.addCleanup(one.kill)
        return one

    def online(self, **options):
        """A started broker, an operator and an agent that is online."""
        self.broker.start()
        operator, gateway = self.operator(), self.gateway(**options).start()
        self.is_up(operator, gateway)
        return operator, gateway

    def is_up(self, operator, gateway):
        wait_until(lambda: operator.is_online(gateway.name), lambda: f"{gateway.name} online: {gateway.said()[-2000:]}")

    def restart(self, operator, gateway, number):
        """Ends the agent, starts it again, and waits until it is online on the new connection."""
        gateway.end(number)
        seen = operator.count("status", gateway.name)
        gateway.start()
        wait_until(lambda: operator.count("status", gateway.name) > seen and operator.is_online(gateway.name),
                   lambda: f"{gateway.name} online again: {gateway.said()[-2000:]}")
