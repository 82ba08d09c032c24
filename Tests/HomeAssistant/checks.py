"""Home Assistant beside a gateway that rides and a store: see run."""
import json
import pathlib
import subprocess
import sys

import waiting
from counting import check, last_line
from hass import HomeAssistant, free_port
from van import CARTS, REGIONS, TILLS, Van

BEACOND, PROGRAMS, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

# Home Assistant makes an entity of each region that a van has on board, and warns of the slash in the name of an expanded one.
KNOWN = "sets an invalid entity ID: 'device_tracker.beacon_"


def becomes(home, name, entity, state, **attributes):
    """Waits until the entity is in that state, with those attributes among others; a state of None is an entity that is not there."""
    def found():
        return home.states().get(entity)

    def holds():
        now = found()
        if now is None or state is None:
            return now is state
        shown = now["attributes"]
        return now["state"] == state and all(shown.get(key) == value for key, value in attributes.items())

    check(name, waiting.until(holds, 60, 0.3), f"{entity}: {found()}")


def event_is(home, name, entity, kind):
    becomes_any = waiting.until(
        lambda: (home.states().get(entity) or {"attributes": {}})["attributes"].get("event_type") == kind, 60, 0.3)
    check(name, becomes_any, home.states().get(entity))


def near(state, latitude, longitude):
    attributes = (state or {"attributes": {}})["attributes"]
    return abs(attributes.get("latitude", 0) - latitude) < 0.0005 and abs(attributes.get("longitude", 0) - longitude) < 0.0005


def broker():
    port = free_port()
    (SCRATCH / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {SCRATCH}/\nuser root\n")
    process = subprocess.Popen(["mosquitto", "-c", SCRATCH / "mosquitto.conf"], stderr=subprocess.DEVNULL)
    ready = waiting.until(lambda: subprocess.run(
        ["mosquitto_pub", "-p", str(port), "-t", "ready", "-n"], capture_output=True).returncode == 0)
    if not ready:
        raise RuntimeError("mosquitto does not start")
    return process, port


def the_device(home):
    device = "binary_sensor.gateway_van_7_connection"
    becomes(home, "it is connected", device, "on", device_class="connectivity")
    words = home.render("{{ device_attr('%s', 'name') }}|{{ device_attr('%s', 'manufacturer') }}|{{ area_name('%s') }}"
                        % (device, device, device))
    check("one device is the gateway, in an area that is its store", words == "Gateway van-7|beacond|fleet", words)
    becomes(home, "what its radio does is a word of status", "sensor.gateway_van_7_radio", "replay", remedy="")
    becomes(home, "its receiver is one of a place", "sensor.gateway_van_7_receiver", "located", device_class="enum")


def the_regions(home, van):
    becomes(home, "a region nobody is in is not occupied", "binary_sensor.gateway_van_7_carts", "off", device_class="occupancy")
    van.hear(6, (CARTS, 1, 7), (CARTS, 1, 8))
    becomes(home, "it is occupied once a beacon is heard", "binary_sensor.gateway_van_7_carts", "on")
    becomes(home, "and says how many there are", "sensor.gateway_van_7_carts_count", "2", unit_of_measurement="beacons")
    event_is(home, "the entry is the last event", "event.gateway_van_7_carts_last_event", "enter")
    van.hear(12)
    becomes(home, "it is left once none is heard", "binary_sensor.gateway_van_7_carts", "off")
    event_is(home, "the exit is the last event", "event.gateway_van_7_carts_last_event", "exit")
    attributes = (home.states().get("event.gateway_van_7_carts_last_event") or {"attributes": {}})["attributes"]
    check("with the dwell of the visit", 5 < attributes.get("dwell_s", 0) < 8, attributes)
    van.hear(3, (TILLS, 2, 1, 87), (TILLS, 2, 2), (TILLS, 2, 3, 50))
    becomes(home, "an expanded region has an entity for each beacon", "binary_sensor.gateway_van_7_tills_2_1", "on")
    event_is(home, "the first event of an instance is in its region's entity", "event.gateway_van_7_tills_last_event", "enter")
    becomes(home, "and for the next one", "binary_sensor.gateway_van_7_tills_2_2", "on")
    becomes(home, "up to the limit", "binary_sensor.gateway_van_7_tills_2_3", None)
    van.hear(60)
    becomes(home, "health is there after a minute", "sensor.gateway_van_7_beacons", "1")
    becomes(home, "nothing is wrong with the disk", "binary_sensor.gateway_van_7_disk", "off", device_class="problem")


def the_beacons(home, port):
    battery, heard = (f"sensor.gateway_van_7_tills_2_1_{word}" for word in ("battery", "last_heard"))
    becomes(home, "a beacon's battery is there with the next list", battery, "87", device_class="battery", unit_of_measurement="%")
    becomes(home, "a beacon that reports none has none", "sensor.gateway_van_7_tills_2_2_battery", "unknown")
    becomes(home, "beyond the limit there is no entity", "sensor.gateway_van_7_tills_2_3_battery", None)
    at = home.states()[heard]["state"]
    check("when it was last heard is a time", home.states()[heard]["attributes"]["device_class"] == "timestamp" and at[10:11] == "T", at)
    topic = "beacons/fleet/van-7/beacons/1"
    page = {"schema": 1, "at": "2026-01-01T00:00:00.000Z", "clock": "synced", "page": 1, "pages": 2, "beacons": []}
    mark = {**page, "beacons": [{"uuid": str(TILLS).upper(), "major": 2, "minor": 2, "battery_percent": 3, "last_heard_at": "2026-01-01T00:00:00.000Z"}]}
    for payload in (json.dumps(page), "", json.dumps(mark)):
        subprocess.run(["mosquitto_pub", "-p", str(port), "-t", topic, "-m", payload], check=True)
    becomes(home, "each beacon of a further page is found", "sensor.gateway_van_7_tills_2_2_battery", "3")
    becomes(home, "a page without the beacon, and one that is cleared, change nothing", battery, "87")
    becomes(home, "nor do they change when it was last heard", heard, at)


def the_place(home, van):
    """After more than a minute it stands in its depot."""
    holds = waiting.until(lambda: near(home.states().get("device_tracker.gateway_van_7_place"), 52.5163, 13.3777), 60, 0.3)
    check("the van's place is on the map", holds, home.states().get("device_tracker.gateway_van_7_place"))
    attributes = (home.states().get("device_tracker.gateway_van_7_place") or {"attributes": {}})["attributes"]
    check("with its accuracy in whole metres", attributes.get("gps_accuracy") == 5 and attributes.get("source_type") == "gps", attributes)
    becomes(home, "it is in the circle of its depot", "binary_sensor.gateway_van_7_depot", "on")
    check("a circle counts no beacons", "sensor.gateway_van_7_depot_count" not in home.states())


def owntracks(home, van):
    tracker = "device_tracker.fleet_van_7"
    check("OwnTracks has it on the map too", waiting.until(lambda: tracker in home.states(), 60, 0.3), list(home.states()))
    attributes = (home.states().get(tracker) or {"attributes": {}})["attributes"]
    check("under its two letters", attributes.get("tid") == "n7", attributes)
    van.hear(3, (CARTS, 1, 7))
    check("a region of beacons that is entered rides along", waiting.until(
        lambda: "device_tracker.beacon_carts" in home.states(), 60, 0.3), list(home.states()))
    van.hear(12)


def entities(home):
    return {name: state for name, state in home.states().items() if "gateway_van_7" in name}


def the_end(home, van):
    before = set(entities(home))
    check("the replay delivers everything", van.stop())
    becomes(home, "a gateway that says goodbye is not connected", "binary_sensor.gateway_van_7_connection", "off")
    becomes(home, "and its regions are unavailable", "binary_sensor.gateway_van_7_carts", "unavailable")
    home.stop()
    home.start()
    # Until it hears of an entity again, Home Assistant shows what it remembers of it.
    check("Home Assistant finds everything again after a restart", waiting.until(
        lambda: set(entities(home)) == before and not any("restored" in one["attributes"] for one in entities(home).values()),
        120, 0.5), set(entities(home)) ^ before)


def the_next_life(home, port):
    van = Van(BEACOND, SCRATCH, port, later_s=200, regions=[REGIONS[0]])
    van.hear(2, (CARTS, 1, 7))
    becomes(home, "it is back after its own restart", "binary_sensor.gateway_van_7_carts", "on")
    becomes(home, "a region that is configured no more has no entity", "binary_sensor.gateway_van_7_depot", None)
    becomes(home, "nor has an instance of one", "binary_sensor.gateway_van_7_tills_2_1", None)
    becomes(home, "nor its count", "sensor.gateway_van_7_tills_2_1_count", None)
    becomes(home, "nor its battery", "sensor.gateway_van_7_tills_2_1_battery", None)
    becomes(home, "nor its last hearing", "sensor.gateway_van_7_tills_2_1_last_heard", None)
    van.kill()
    becomes(home, "the will says that it is gone", "binary_sensor.gateway_van_7_connection", "off")
    van = Van(BEACOND, SCRATCH, port, later_s=300, regions=[REGIONS[0]], homeassistant=None)
    van.hear(2)
    becomes(home, "without the table nothing of it is left", "binary_sensor.gateway_van_7_carts", None)
    becomes(home, "nor is the device", "binary_sensor.gateway_van_7_connection", None)
    van.stop()


def the_store(home, port):
    (SCRATCH / "site.toml").write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\n[gateway]\nstate_dir = "{SCRATCH}/store"\n[site]\nid = "fleet"\n[homeassistant]\n')
    store = subprocess.Popen([BEACOND, "site", "--config", SCRATCH / "site.toml"], stderr=open(SCRATCH / "store.log", "wb"))
    van = Van(BEACOND, SCRATCH, port, later_s=400, regions=[REGIONS[0]], homeassistant=None)
    van.hear(20, (CARTS, 1, 7))
    becomes(home, "a store is a device as well", "binary_sensor.store_fleet_connection", "on")
    becomes(home, "it says how many gateways hear", "sensor.store_fleet_gateways_that_hear", "1")
    becomes(home, "its regions are occupied", "binary_sensor.store_fleet_carts", "on", device_class="occupancy")
    becomes(home, "and so are their zones", "binary_sensor.store_fleet_carts_in_van_7", "on")
    van.stop()
    store.terminate()
    check("it stops", waiting.until(lambda: store.poll() is not None), store.poll())


def main():
    process, port = broker()
    home = HomeAssistant(PROGRAMS, SCRATCH / "home", port)
    try:
        home.start()
        van = Van(BEACOND, SCRATCH, port)
        van.hear(10)
        the_device(home)
        the_regions(home, van)
        the_beacons(home, port)
        the_place(home, van)
        owntracks(home, van)
        the_end(home, van)
        the_next_life(home, port)
        the_store(home, port)
        words = [line for line in home.complaints().splitlines()
                 if ("mqtt" in line.lower() or "owntracks" in line.lower()) and KNOWN not in line]
        check("Home Assistant has nothing to complain of", not words, "\n".join(words))
    except Exception as failure:  # What was counted so far is still to be said.
        check("the checks came to their end", False, repr(failure))
    finally:
        home.stop()
        process.terminate()
    last_line()


main()
