"""Settings over MQTT as an operator sees them: taken, refused, kept, reverted."""

import json
import signal
import tomllib

from gateway import CARTS, UUID
from servers import wait_until
from situation import Situation

DEBUG = {"log": {"level": "debug"}}


class Settings(Situation):
    def test_a_message_is_applied_and_status_and_report_say_so(self):
        operator, gateway = self.online()
        of_file = operator.in_effect()
        self.assertIsNone(of_file["version"])
        operator.set(7, DEBUG)
        report = operator.waits_for_use(7)
        self.assertEqual(report["errors"], [])
        self.assertEqual(report["digest"], operator.in_effect()["digest"])
        self.assertNotEqual(report["digest"], of_file["digest"])
        text, digest, version = gateway.settings()
        self.assertEqual((digest, version), (report["digest"], "version 7"))
        self.assertEqual(tomllib.loads(text)["log"]["level"], "debug")

    def test_a_table_replaces_the_table_of_the_file_as_a_whole(self):
        operator, gateway = self.online(more='exit_after_s = 40\n[rotation]\nunknown_after_s = 3\n')
        operator.set(1, {"region": [{"id": "door", "uuid": UUID}], "rotation": {"resolve_after_s": 20}})
        operator.waits_for_use(1)
        settings = tomllib.loads(gateway.settings()[0])
        self.assertEqual([one["id"] for one in settings["region"]], ["door"])
        self.assertEqual((settings["rotation"]["unknown_after_s"], settings["rotation"]["resolve_after_s"]), (2, 20))

    def test_an_empty_payload_and_a_new_broker_change_nothing(self):
        operator, gateway = self.online()
        operator.set(2, DEBUG)
        digest = operator.waits_for_use(2)["digest"]
        operator.publish(b"")
        self.broker.kill()
        # A broker that has nothing retained.
        for file in self.broker.folder.glob("*.db"):
            file.unlink()
        del operator.heard[:]
        self.broker.start()
        self.is_up(operator, gateway)
        wait_until(lambda: operator.last("settings/reported"), "the report comes to the new broker too")
        self.assertEqual(operator.in_effect(), {"digest": digest, "version": 2})
        self.assertEqual(gateway.settings()[1:], (digest, "version 2"))

    def test_settings_survive_a_kill_and_count_before_any_broker_is_reached(self):
        operator, gateway = self.online()
        operator.set(4, DEBUG)
        digest = operator.waits_for_use(4)["digest"]
        gateway.kill()
        self.broker.kill()
        gateway.log.write_text("")
        gateway.start()
        wait_until(lambda: "settings: version 4 is in effect" in gateway.said(), gateway.said)
        self.assertEqual(gateway.settings()[1:], (digest, "version 4"))
        self.assertEqual(gateway.end(), 0)

    def test_ends_by_SIGTERM_do_not_count(self):
        operator, gateway = self.online()
        operator.set(1, DEBUG)
        operator.waits_for_use(1)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM, signal.SIGTERM):
            self.restart(operator, gateway, number)
            self.assertEqual(operator.in_effect()["version"], 1)

    def test_settings_that_are_off_again_clear_the_report_and_use_the_file(self):
        operator, gateway = self.online()
        of_file = operator.in_effect()["digest"]
        operator.set(1, DEBUG)
        operator.waits_for_use(1)
        gateway.end()
        gateway.configure('settings = "off"')
        gateway.start()
        wait_until(lambda: operator.is_online() and operator.in_effect() == {"digest": of_file, "version": None}, lambda: operator.last("status"))
        wait_until(lambda: operator.last("settings/reported") is None, "the report is cleared")
        self.assertEqual(gateway.settings()[2], "the file alone")

    def test_a_file_that_settings_do_not_fit_any_more_runs_alone_and_says_why(self):
        operator, gateway = self.online()
        operator.set(1, {"regions": {"entry_rssi_dbm": -90, "exit_rssi_dbm": -95}})
        digest = operator.waits_for_use(1)["digest"]
        gateway.end()
        gateway.configure(more="exit_rssi_dbm = -80\n[regions]\nentry_rssi_dbm = -70\n")
        gateway.start()
        self.assertNotEqual(operator.waits_for(1, "refused")["errors"], [])
        wait_until(lambda: operator.in_effect()["version"] is None, lambda: operator.last("status"))
        # A corrected file takes the stored settings again.
        gateway.end()
        gateway.configure()
        gateway.start()
        self.assertEqual(operator.waits_for_use(1)["digest"], digest)


class Digests(Situation):
    TABLES = {"rotation": {"resolve_after_s": 20}, "region": [CARTS, {"id": "door", "uuid": UUID, "major": 7}]}
    TOML = '[rotation]\nresolve_after_s = 20\n'

    def test_the_printed_settings_are_a_file_that_check_accepts_with_an_equal_digest(self):
        operator, gateway = self.online()
        operator.set(1, self.TABLES)
        digest = operator.waits_for_use(1)["digest"]
        text, _, _ = gateway.settings()
        gateway.end()
        copy = gateway.folder / "copy.toml"
        copy.write_text(text.replace('settings = "on"', 'settings = "off"'))
        said = gateway.command("check", copy)[1]
        self.assertRegex(said.splitlines()[0], "^ok ", said)
        self.assertNotIn("configuration is wrong", said)
        self.assertEqual(gateway.settings(copy)[1], digest)

    def test_equal_settings_have_equal_digests_from_the_file_and_over_MQTT_and_with_defaults_spelled_out(self):
        operator, gateway = self.online()
        operator.set(1, self.TABLES)
        digest = operator.waits_for_use(1)["digest"]
        in_file = gateway.folder / "in-file.toml"
        gateway.configure(more=f'[[region]]\nid = "door"\nuuid = "{UUID}"\nmajor = 7\n' + self.TOML, file=in_file)
        in_file.write_text(in_file.read_text().replace('settings = "on"', 'settings = "off"'))
        self.assertEqual(gateway.settings(in_file)[1], digest)
        # All keys with their values, as `beacond settings` prints them.
        whole = tomllib.loads(gateway.settings()[0])
        spelled = {name: whole[name] for name in ("rotation", "smoothing", "regions", "region", "ranging", "log")}
        operator.set(2, spelled)
        self.assertEqual(operator.waits_for_use(2)["digest"], digest)
        operator.set(3, json.loads(json.dumps(self.TABLES).replace("20", "2e1")))
        self.assertEqual(operator.waits_for_use(3)["digest"], digest)

