"""deploy/fleet/settings with real agents: a change reaches all of them stage by stage, or is taken back."""

import json
import re
import signal
import subprocess
import time

from changing import AGENTS, BAD, GOOD, TOOL, Changing, Fleet
from servers import run, wait_until


class Change(Changing):
    def test_a_good_change_reaches_all_gateways(self):
        begun = time.monotonic()
        text = self.tool("set", "--stages", "1,25%,100%", "--soak", "1", tables=GOOD.format(20))
        print(f"\nfigure: a good change of {AGENTS} agents in 3 stages with 1 s of soak: {time.monotonic() - begun:.0f} s")
        self.assertEqual([int(one) for one in re.findall(rf"stage \d: (\d+) of {AGENTS} ", text)], [1, AGENTS // 4, AGENTS])
        self.assertEqual(len(set(self.versions().values())), 1)
        self.assertNotIn(self.former, self.digests())
        self.assertEqual(len(self.digests()), 1)

    def test_a_bad_value_is_stopped_in_the_first_stage_and_taken_back_by_itself(self):
        before, sent = self.versions(), self.sent()
        text = self.tool("set", "--soak", "1", status=1, tables=BAD)
        self.assertRegex(text, r"s\d/g\d+: refused: rotation\.resolve_after_s: -1: must be")
        self.assertIn("1 gateways are back at their former tables", text)
        self.assertEqual(self.digests(), {self.former})
        self.assertEqual(sum(before[name] != version for name, version in self.versions().items()), 1)
        wait_until(lambda: self.sent() == sent + 2, lambda: f"{self.sent() - sent} messages")

    def test_a_gateway_that_ends_again_and_again_stops_it(self):
        # Longer than two starts take, however busy the machine is.
        process = self.begin("set", "--stages", "1,100%", "--soak", "600", tables=GOOD.format(30))
        before = self.versions()
        changed = lambda: [name for name, version in self.versions().items() if version != before[name]]
        wait_until(changed, "the first stage")
        [name] = changed()
        gateway = self.gateways[name]
        for _ in range(2):
            seen = len(self.operator.heard)
            gateway.kill()
            gateway.start()
            # The will of the one that was killed, and the birth of the next.
            wait_until(lambda seen=seen: "offline" in self.operator.states(name, seen) and self.operator.is_online(name), gateway.said)
        text, _ = process.communicate(timeout=900)
        self.assertEqual(process.returncode, 1, text)
        self.assertIn(f"{name}: reverted:", text)
        self.assertEqual(self.digests(), {self.former})

    def test_a_gateway_that_was_offline_takes_it_when_it_is_back(self):
        name = "s1/g1"
        self.gateways[name].end()
        wait_until(lambda: not self.operator.is_online(name), "offline")
        text = self.tool("set", "--stages", "50%,100%", "--soak", "0", tables=GOOD.format(40))
        self.assertIn("1 gateways are offline and take version", text)
        self.gateways[name].start()
        version = int(re.search(r"take version (\d+)", text)[1])
        self.operator.waits_for_use(version, name)
        self.assertEqual(len(self.digests()), 1)


class Use(Changing):
    def test_a_broker_that_is_restarted_half_way_stops_nothing(self):
        process = self.begin("set", "--stages", "5,100%", "--soak", "3", tables=GOOD.format(50))
        before = self.versions()
        wait_until(lambda: self.versions() != before, "the first stage")
        time.sleep(1.1)
        self.broker.restart()
        text, said = process.communicate(timeout=900)
        self.assertEqual(process.returncode, 0, text + said)
        self.assertIn("the broker is back", text)
        self.all_online()
        wait_until(lambda: len(self.digests()) == 1 and self.former not in self.digests(), self.versions)

    def test_the_tool_stopped_by_SIGINT_takes_the_change_back(self):
        before = self.versions()
        process = self.begin("set", "--stages", "5,100%", "--soak", "600", tables=GOOD.format(60))
        wait_until(lambda: sum(self.versions()[name] != version for name, version in before.items()) == 5, "the first stage")
        process.send_signal(signal.SIGINT)
        text, said = process.communicate(timeout=900)
        self.assertEqual(process.returncode, 1, text + said)
        self.assertIn("stopped by the operator", text)
        self.assertIn("5 gateways are back at their former tables", text)
        self.assertEqual(self.digests(), {self.former})

    def test_what_is_too_large_is_refused_before_it_is_sent(self):
        sent = self.sent()
        self.tool("set", status=64, tables="".join(f'[[region]]\nid = "region-{number}"\nuuid = "{number}"\n' for number in range(10_000)))
        self.assertRegex(self.said, r"^settings: the message has \d+ bytes, and a gateway takes \d+: [^\n]+\n$")
        self.assertEqual(self.sent(), sent)

    def test_status_get_and_clear(self):
        few = AGENTS // 4
        rest = self.stored("s1/g1")
        self.tool("set", "--select", "s2/*", "--stages", "100%", "--soak", "0", tables=GOOD.format(70))
        lines = self.tool("status").splitlines()
        self.assertEqual(len(lines), AGENTS + 2)
        # Those that differ from most stand first.
        self.assertEqual({line.split("/")[0] for line in lines[1:few + 1]}, {"s2"})
        self.assertRegex(lines[1], r"^s2/g\d+ +online +absent +\d+ +[0-9a-f]{16}  applied \d+$")
        self.assertRegex(lines[-1], rf"^{AGENTS} gateways: {AGENTS - few} have [0-9a-f]{{16}}, {few} have [0-9a-f]{{16}}$")
        settings = json.loads(self.tool("get", "--select", "s2/g2", "--select", "s1/g1"))
        self.assertEqual({name: one["tables"] for name, one in settings.items()}, {"s1/g1": rest, "s2/g2": {"rotation": {"resolve_after_s": 70}}})
        self.tool("clear", "--select", "s2/*", "--stages", "100%", "--soak", "0")
        self.assertEqual(self.stored("s2/g2"), {})
        self.assertEqual(len(self.digests()), 2)

    def test_wrong_use_says_one_line_with_status_64(self):
        wrong = [
            (["set"], "--file"), (["set", "--stages", "0"], "0: must be from 1"), (["set", "--stages", "x"], "x: must be"),
            (["set", "--stages", "50%,10%"], "each stage must have more"), (["set", "--soak", "nan"], "--soak"), (["set", "--soak", "-1"], "--soak"),
            (["set", "--max-offline", "-1"], "--max-offline"), (["set", "--select", "nobody/*"], "no gateway fits"), (["set", "--for", "a/b/c"], "--for"),
            (["nothing"], "nothing"), ([], "required"), (["--ca-file", "/nowhere", "status"], "--ca-file"), (["--broker", "mqtts://127.0.0.1:1", "--ca-file", "/nowhere", "status"], "/nowhere"), (["--cert-file", "x", "status"], "go together"),
            (["set", "--key", "/nowhere"], "/nowhere"),
        ]
        begun = [self.begin(*words, tables=None if words[:1] != ["set"] or words == ["set"] else GOOD.format(80)) for words, _ in wrong]
        for (words, why), process in zip(wrong, begun, strict=True):
            with self.subTest(words):
                said = process.communicate(timeout=900)[1]
                self.assertEqual(process.returncode, 64, said)
                self.assertIn(why, said)
                self.assertEqual(said.count("\n"), 1, said)
        for text in ("[mqtt]\n", "[log\n", "log = 1\n"):
            self.tool("set", status=64, tables=text)
            self.assertEqual(self.said.count("\n"), 1, self.said)

    def test_a_broker_that_is_not_there_is_status_69(self):
        done = subprocess.run([TOOL, "--broker", "mqtt://127.0.0.1:1", "status"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (69, 1), done.stderr)

    def test_a_gateway_that_always_says_something_does_not_keep_the_tool_waiting(self):
        status = json.dumps(self.operator.last("status", "s1/g1"))
        process = subprocess.Popen(["bash", "-c", f"while mosquitto_pub -p {self.broker.port} -q 1 -r -t beacons/s1/g1/status -m '{status}'; do sleep 0.2; done"])
        try:
            self.assertIn(f"{AGENTS} gateways", self.tool("status", "--select", "s*"))
        finally:
            process.kill()
            process.wait()


class Signed(Fleet):
    """Gateways that take signed settings alone."""

    count = 3

    @classmethod
    def prepare(cls):
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.folder / "key.pem")
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.folder / "other.pem")
        run("openssl", "genrsa", "-out", cls.folder / "rsa.pem", "2048")
        run("openssl", "pkey", "-in", cls.folder / "key.pem", "-pubout", "-out", cls.folder / "public.pem")
        cls.fleet = f'settings = "on"\nsigner_file = "{cls.folder}/public.pem"'

    def test_a_change_signed_with_a_key_of_openssl_reaches_all_and_can_be_taken_back(self):
        key = self.folder / "key.pem"
        self.tool("set", "--soak", "0", "--key", key, tables=GOOD.format(20))
        [digest] = self.digests()
        self.assertNotIn(None, self.versions().values())
        self.assertIn("refused: rotation.resolve_after_s", self.tool("set", "--soak", "0", "--key", key, status=1, tables=BAD))
        self.assertEqual(self.digests(), {digest})
        self.assertIn("signature", self.tool("set", "--soak", "0", "--key", self.folder / "other.pem", status=75, tables=GOOD.format(30)))
        # Not signed, the former tables could not be published again.
        self.tool("set", "--soak", "0", status=64, tables=GOOD.format(30))
        self.assertIn("give --key", self.said)
        self.tool("set", "--soak", "0", "--key", self.folder / "rsa.pem", status=64, tables=GOOD.format(30))
        self.assertEqual(self.said.count("\n"), 1, self.said)
        self.tool("clear", "--soak", "0", "--key", key, "--for", "*/*")
        self.assertNotIn(digest, self.digests())

    def test_sign_prints_a_message_that_any_client_can_publish(self):
        text = self.tool("sign", "--version", 100, "--for", "s1/*", "--key", self.folder / "key.pem", tables=GOOD.format(77))
        for name in self.gateways:
            self.operator.publish(text, name)
        self.operator.waits_for_use(100, "s1/g1")
        self.assertIn("signed_for", str(self.operator.waits_for(100, "refused", "s2/g2")["errors"]))
        for words in (("--version", 0, "--for", "s1/*"), ("--version", 2**53, "--for", "s1/*"), ("--version", 1, "--for", "s1"), ("--version", 1, "--for", "s*/g1")):
            self.tool("sign", *words, "--key", self.folder / "key.pem", status=64, tables=GOOD.format(77))
            self.assertEqual(self.said.count("\n"), 1, self.said)
