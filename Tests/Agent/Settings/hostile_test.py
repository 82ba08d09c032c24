"""Messages on settings/desired that no honest operator sends: the agent refuses or ignores each, and goes on."""

import base64
import json
import subprocess
import time

from beacons_fleet import tables as tables_of
from gateway import NAME, Operator
from servers import run, wait_until
from situation import Situation

GOOD = {"rotation": {"resolve_after_s": 20}}
# A version that no good message has.
NEXT = 1000
DESIRED = f"beacons/{NAME}/settings/desired"


class Unsigned(Situation):
    # Larger messages than a store's broker would pass.
    limits = "max_packet_size 4000000\n"

    def takes_a_good_one(self, operator, version):
        operator.set(version, GOOD)
        operator.waits_for_use(version)

    def test_a_message_of_1_MiB_changes_nothing_and_a_good_one_is_taken_after_it(self):
        for protocol in (5, 3):
            with self.subTest(protocol=protocol):
                operator, gateway = self.online() if protocol == 5 else self.with_mqtt_3()
                before = gateway.rss_mib()
                operator.publish(json.dumps({"schema": 1, "version": 1, "tables": {"log": {"level": "x" * 1_048_576}}}))
                # An MQTT 5 broker knows the agent's limit, and drops the message. An MQTT 3.1.1 broker sends it.
                if protocol == 3:
                    wait_until(lambda: operator.last("settings/reported"), gateway.said)
                    self.assertEqual(operator.last("settings/reported")["outcome"], "refused")
                self.assertIsNone(gateway.status(), gateway.said())
                self.takes_a_good_one(operator, 2)
                print(f"\nfigure: a message of 1 MiB, MQTT {protocol}: {before} MiB before, {gateway.rss_mib()} MiB after")

    def with_mqtt_3(self):
        gateway = self.gateway("store/old")
        gateway.file.write_text(gateway.file.read_text().replace("[mqtt]\n", "[mqtt]\nprotocol = 3\n"))
        gateway.start()
        operator = Renamed(self.broker.port, gateway.name)
        self.addCleanup(operator.close)
        self.is_up(operator, gateway)
        return operator, gateway

    def test_what_is_no_settings_message_is_refused_and_leaves_the_settings(self):
        operator, gateway = self.online()
        self.takes_a_good_one(operator, 1)
        digest = operator.in_effect()["digest"]
        message = '{"schema":1,"version":%s,"tables":%s}'
        hostile = [
            b"[" * 100_000, b'{"a":' * 50_000, b'{"schema":1,"version":2,"tables":{"log":{"level":"\xff\xfe"}}}', b"\x00" * 1000, b"null", b"7", b"[]",
            message % (2, "[" * 5000 + "]" * 5000), message % (2, '{"log":' + '{"a":' * 2000 + "1" + "}" * 2001), message % (2, '{"log":[]}'),
            message % (2, '{"region":{}}'), message % (2, '{"log":null}'), message % ("2.5", "{}"), message % ("1e99", "{}"), message % (-1, "{}"),
            message % ("9007199254740993", "{}"), message % ('"2"', "{}"), message % (2, '{"fleet":{"signer_file":""}}'),
            message % (2, '{"gateway":{"id":"other"}}'), message % (2, '{"mqtt":{}}'), message % (2, '{"\\u0000":{}}'),
            message % (2, '{"log":{"level":1e400}}'), message % (2, '{"region":[%s]}' % ",".join(["{}"] * 5000)),
        ]
        for payload in hostile:
            operator.publish(payload)
            # The agent handles one a second, and only the latest of those that come meanwhile.
            seen = len(operator.reports())
            wait_until(lambda seen=seen: len(operator.reports()) > seen or operator.reports()[-1]["outcome"] == "refused", lambda: payload[:80])
        self.assertIsNone(gateway.status(), gateway.said()[-2000:])
        self.assertEqual(operator.in_effect(), {"digest": digest, "version": 1})
        self.takes_a_good_one(operator, 2)

    def test_a_flood_of_wrong_messages_stops_neither_answers_nor_health(self):
        operator, gateway = self.online()
        answered = []
        operator.mqtt.message_callback_add("replies/#", lambda *_: answered.append(time.monotonic()))
        operator.mqtt.subscribe("replies/#", 1)
        before, begun, sent = gateway.rss_mib(), time.monotonic(), 0
        while time.monotonic() < begun + 5:
            for _ in range(10):
                sent += 1
                operator.mqtt.publish(DESIRED, json.dumps({"schema": 1, "version": sent, "tables": {f"t{sent}": {"a": sent}}}), qos=1, retain=True)
            if sent % 100 == 0:
                run("mosquitto_pub", "-V", "5", "-p", self.broker.port, "-t", f"beacons/{NAME}/request/state", "-m", "{}",
                    "-D", "publish", "response-topic", f"replies/{sent}")
            time.sleep(0.04)
        end = time.monotonic()
        wait_until(lambda: sum(at < end for at in answered) or len(answered) >= sent // 100, "answers")
        during = sum(at < end for at in answered)
        self.assertGreater(len(answered), 0)
        wait_until(lambda: operator.last("health"), "health")
        operator.set(sent + 1, GOOD)
        operator.waits_for_use(sent + 1)
        print(f"\nfigure: a flood of {sent} messages in {end - begun:.0f} s: {during} of {sent // 100} requests answered during it, {len(operator.reports())} reports, "
              f"the good message after {time.monotonic() - end:.1f} s, {before} MiB before, {gateway.rss_mib()} MiB after")


class Renamed(Operator):
    """An operator whose gateway has another name."""

    def __init__(self, port, name):
        self.other = name
        super().__init__(port)

    def last(self, kind, name=NAME):
        return super().last(kind, self.other)

    def publish(self, message, name=NAME):
        super().publish(message, self.other)


class Signed(Situation):
    """A gateway with fleet.signer_file."""

    def setUp(self):
        super().setUp()
        for name in ("owner", "other"):
            run("openssl", "genpkey", "-algorithm", "ed25519", "-out", self.key(name))
        run("openssl", "pkey", "-in", self.key("owner"), "-pubout", "-out", self.folder / "public.pem")

    def key(self, name):
        return self.folder / f"{name}.pem"

    def signed(self, version, tables=None, key="owner", signed_for=NAME, **changes):
        message = json.loads(tables_of.message(GOOD if tables is None else tables, version, self.key(key), signed_for))
        return json.dumps({name: value for name, value in (message | changes).items() if value is not None})

    def online_signed(self):
        return self.online(fleet=f'settings = "on"\nsigner_file = "{self.folder}/public.pem"')

    def test_what_the_owner_has_not_signed_for_this_gateway_is_refused(self):
        operator, gateway = self.online_signed()
        operator.publish(self.signed(10))
        operator.waits_for_use(10)
        changed = json.loads(self.signed(NEXT))
        changed["tables"]["rotation"]["resolve_after_s"] = 21
        flipped = bytearray(base64.b64decode(changed["signature"]))
        flipped[0] ^= 1
        refused = {
            "not signed": self.signed(NEXT, signature=None),
            "an empty signature": self.signed(NEXT, signature=""),
            "another key": self.signed(NEXT, key="other"),
            "another gateway's": self.signed(NEXT, signed_for="store/other"),
            "another store's": self.signed(NEXT, signed_for="elsewhere/*"),
            "another gateway's, with this one's name on it": self.signed(NEXT, signed_for="store/other").replace("store/other", NAME),
            "a part of a name": self.signed(NEXT, signed_for="st*/gw"),
            "a changed value": json.dumps(changed),
            "a changed version": self.signed(NEXT).replace(str(NEXT), str(NEXT + 1)),
            "a changed addressee": self.signed(NEXT, signed_for="store/other").replace("store/other", "*/*"),
            "a changed octet of the signature": self.signed(NEXT, signature=base64.b64encode(flipped).decode()),
            "a longer signature": self.signed(NEXT, signature=base64.b64encode(bytes(flipped) + b"1").decode()),
            "no Base64": self.signed(NEXT, signature="?" * 88),
            "a table that is not allowed": self.signed(NEXT, {"mqtt": {"url": "mqtt://elsewhere"}}),
        }
        for version, (name, payload) in enumerate(refused.items(), 11):
            with self.subTest(name):
                operator.publish(payload)
                wait_until(lambda: operator.last("settings/reported")["outcome"] == "refused", lambda: operator.last("settings/reported"))
                # By then the hostile message is past, and the same report would be published again.
                operator.publish(self.signed(version, {"rotation": {"resolve_after_s": version}}))
                operator.waits_for_use(version)
                self.assertNotIn(NEXT, [one["version"] for one in operator.reports() if one["outcome"] == "applied"])

    def test_an_older_signed_message_is_no_way_back(self):
        operator, gateway = self.online_signed()
        old = self.signed(5)
        operator.publish(old)
        operator.waits_for_use(5)
        operator.publish(self.signed(6, {"log": {"level": "debug"}}))
        operator.waits_for_use(6)
        operator.publish(old)
        operator.publish(self.signed(7, {}, signed_for="*/*"))
        operator.waits_for_use(7)
        self.assertEqual([report["version"] for report in operator.reports() if report["outcome"] == "applied"][-1], 7)
        self.assertEqual(sum(report["version"] == 5 for report in operator.reports()), 1)

    def test_a_star_stands_for_the_whole_site_or_the_whole_id(self):
        operator, gateway = self.online_signed()
        for version, addressee in enumerate(("store/gw", "store/*", "*/gw", "*/*"), 1):
            operator.publish(self.signed(version, signed_for=addressee))
            operator.waits_for_use(version)

    def test_the_signature_is_over_the_documented_text(self):
        """The operator's own openssl and a canonical form by hand, without the tool."""
        operator, gateway = self.online_signed()
        tables = {"rotation": {"unknown_after_s": 2.5, "resolve_after_s": 20}, "log": {"level": "debug"}}
        text = self.folder / "text"
        text.write_text(f'{NAME}\n3\n{{"log":{{"level":"debug"}},"rotation":{{"resolve_after_s":20,"unknown_after_s":2.5}}}}')
        signature = subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", self.key("owner"), "-in", text], check=True, capture_output=True).stdout
        operator.publish({"schema": 1, "version": 3, "tables": tables, "signature": base64.b64encode(signature).decode()})
        operator.waits_for_use(3)
