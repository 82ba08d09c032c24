"""The inventory: a CSV file becomes groups and variables, and each wrong line is named."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMMAND = HERE.parents[2] / "deploy/fleet/ansible/inventory"
GOOD, RECEIVERS = ((HERE / name).read_text() for name in ("stores.csv", "receivers.csv"))


def listed(text, *arguments, receivers=None):
    """Status, output and errors of the inventory with that text as stores.csv, and with another as receivers.csv."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "stores.csv").write_text(text)
        if receivers is not None:
            pathlib.Path(folder, "receivers.csv").write_text(receivers)
        done = subprocess.run([COMMAND, *(arguments or ["--list"])], env={**os.environ, "BEACONS_FLEET": folder}, capture_output=True,
                              text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


class Inventory(unittest.TestCase):
    """The project's example, and changes of it."""

    def refuses(self, former, new, *complaints):
        self.assertIn(former, GOOD)
        status, said, why = listed(GOOD.replace(former, new, 1))
        self.assertEqual((status, said), (65, ""), why)
        for complaint in complaints:
            self.assertIn(complaint, why)

    def test_a_group_for_each_role(self):
        status, said, why = listed(GOOD)
        self.assertEqual((status, why), (0, ""))
        groups = {name: group["hosts"] for name, group in json.loads(said).items() if "hosts" in group}
        self.assertEqual(groups, {
            "chain_broker": ["chain.example.com"], "collector": ["chain.example.com"], "database": ["database.example.com"],
            "store_broker": ["berlin-17.example.com"], "site": ["berlin-17.example.com"], "page": ["berlin-17.example.com"],
            "receivers": ["berlin-17.example.com"],
            "gateway": [f"{name}.berlin-17.example.com" for name in ("entrance", "oven", "dairy")]})

    def test_a_gateway_knows_its_name_and_its_store(self):
        of_host = json.loads(listed(GOOD)[1])["_meta"]["hostvars"]["oven.berlin-17.example.com"]
        self.assertEqual({key: of_host[key] for key in ("site", "gateway_id", "gateway_name", "store_broker")},
                         {"site": "berlin-17", "gateway_id": "oven", "gateway_name": "berlin-17/oven", "store_broker": "berlin-17.example.com"})

    def test_a_store_knows_where_its_gateways_are(self):
        gateways = json.loads(listed(GOOD)[1])["_meta"]["hostvars"]["berlin-17.example.com"]["gateways"]
        self.assertEqual(gateways[1], {"id": "oven", "zone": "bakery", "position": [12.5, 3.0]})

    def test_a_comment_and_an_empty_line_are_passed_over(self):
        self.assertEqual(listed(GOOD + "\n# closed: hamburg-3,,,,,,\n")[0], 0)

    def test_a_wrong_line_is_named_with_the_value(self):
        self.refuses("gateway,oven", "gatway,oven", "line 6: roles 'gatway'")
        self.refuses("gateway,oven", ",oven", "line 6: roles 'none'")
        self.refuses("oven.berlin-17.example.com", "Oven,", "line 6: 8 fields, not 7")
        self.refuses("oven.berlin-17.example.com", "-oven", "line 6: host '-oven'")
        self.refuses("oven,bakery", "site,bakery", "line 6: id 'site'")
        self.refuses("oven,bakery", ",bakery", "line 6: id ''")
        self.refuses("oven,bakery", "oven,#", "line 6: zone '#'")
        self.refuses("12.5,3", "12.5,", "line 6: x_m, y_m: both or none")
        self.refuses("12.5,3", "12.5,nan", "line 6: y_m 'nan'")
        self.refuses("berlin-17,oven", "operator,oven", "line 6: site 'operator'")
        self.refuses("berlin-17,oven", "ber/lin,oven", "line 6: site 'ber/lin'")
        self.refuses(",database.example.com", "berlin-17,database.example.com", "line 3: site 'berlin-17'")
        self.refuses("site page receivers,", "site page receivers,till", "line 4: id 'till'")

    def test_a_host_is_no_group_of_ansible_and_not_the_operator_s_machine(self):
        for host in ("all", "ungrouped", "localhost", "gateway", "database", "collector", "127.0.0.1", "x" * 254):
            self.refuses("oven.berlin-17.example.com", host, f"line 6: host '{host[:80]}'")

    def test_no_value_becomes_a_template_a_command_or_a_sign_that_a_terminal_obeys(self):
        for value in ("{{ lookup('pipe', 'id') }}", "$(id)", "`id`", "a;id", "a b", "-oProxyCommand=id", "=1+1", "@x", "../../etc", "a\u202eb", "a\x1b[2Jb", "\x9b2J", "٣"):
            for field in ("berlin-17,oven", "oven.berlin-17.example.com", "gateway,oven", "oven,bakery", "12.5,3"):
                head, comma, tail = field.partition(",")
                quoted = '"' + value.replace('"', '""') + '"'
                status, said, why = listed(GOOD.replace(field, quoted + comma + tail, 1))
                self.assertEqual((status, said), (65, ""), (value, field))
                self.assertTrue(why.replace("\n", "").isprintable(), ascii(why))
        _, _, why = listed("site\x1b[2J,\u202e,x\n")
        self.assertTrue(why.replace("\n", "").isprintable(), ascii(why))

    def test_roles_that_one_machine_cannot_have(self):
        self.refuses("gateway,oven", "gateway site,oven", "line 6: roles: a gateway needs a machine without `site` and `receivers`")
        self.refuses("chain-broker collector", "chain-broker gateway", "line 2: roles 'chain-broker gateway'")

    def test_every_wrong_line_is_named(self):
        status, _, why = listed(GOOD.replace("gateway,", "gatway,"))
        self.assertEqual((status, [line.split(":")[1] for line in why.splitlines()]), (65, [" line 5", " line 6", " line 7"]))

    def test_a_name_that_comes_twice(self):
        self.refuses("oven.berlin-17.example.com", "dairy.berlin-17.example.com", "line 7: host dairy.berlin-17.example.com is in line 6 already")
        self.refuses("gateway,oven", "gateway,entrance", "line 6: gateway berlin-17/entrance is in line 5 already")
        self.refuses("database,", "database collector,", "line 3: collector of the chain is in line 2 already")

    def test_two_certificates_in_one_file(self):
        status, _, why = listed(GOOD + "berlin,berlin.example.com,store-broker,,,,\nberlin,door.berlin.example.com,gateway,17-oven,,,\n")
        self.assertEqual((status, why), (65, "stores.csv: line 9: ca/berlin-17-oven.crt would be a certificate of line 6, too: choose another name\n"))
        self.refuses("berlin-17,berlin-17.example.com", "berlin-17,berlin-17", "line 4: ca/berlin-17.crt would be a certificate of line 4, too")

    def test_a_machine_that_is_missing(self):
        self.refuses("store-broker site page receivers", "site page receivers", "line 4: no line has the store-broker of berlin-17")
        self.refuses("chain-broker collector", "chain-broker", "no line has a collector")

    def test_a_wrong_header_and_an_empty_file(self):
        self.refuses("site,host", "store,host", "line 1: the header is site,host,roles,id,zone,x_m,y_m")
        self.assertIn("no line names a machine", listed(GOOD.splitlines()[0] + "\n")[2])

    def test_check_reads_a_file_and_lists_nothing(self):
        self.assertEqual(listed("", "--check", str(HERE / "stores.csv")), (0, "stores.csv: 6 machines\nreceivers.csv: 1 receiver\n", ""))


class Receivers(unittest.TestCase):
    """Gateways whose radio is a receiver of another maker: receivers.csv."""

    def refuses(self, former, new, complaint):
        self.assertIn(former, RECEIVERS)
        status, said, why = listed(GOOD, receivers=RECEIVERS.replace(former, new, 1))
        self.assertEqual((status, said), (65, ""), why)
        self.assertIn(complaint, why)

    def test_the_store_s_machine_and_site_know_them(self):
        status, said, why = listed(GOOD, receivers=RECEIVERS)
        self.assertEqual((status, why), (0, ""))
        inventory = json.loads(said)
        of_host = inventory["_meta"]["hostvars"]["berlin-17.example.com"]
        self.assertEqual(of_host["receivers"], [{"id": "aisle-3", "format": "moko", "topic": "moko/aisle-3"}])
        self.assertEqual(of_host["gateways"][-1], {"id": "aisle-3", "zone": "drinks", "position": [7.0, 12.0]})
        self.assertEqual(inventory["all"]["vars"]["receiver_names"], ["berlin-17/aisle-3"])

    def test_a_wrong_line_is_named_with_the_value(self):
        self.refuses("site,id,format", "site,name,format", "receivers.csv: line 1: the header is site,id,format,topic,zone,x_m,y_m")
        self.refuses(",moko,", ",espresense,", "receivers.csv: line 2: format 'espresense': one of minew, moko, cassia, shelly")
        self.refuses("berlin-17,aisle-3", "paris-3,aisle-3", "receivers.csv: line 2: site 'paris-3': stores.csv has no machine")
        self.refuses("aisle-3", "oven", "receivers.csv: line 2: gateway berlin-17/oven is in line 6 already")
        self.refuses("7,12", "7,", "receivers.csv: line 2: x_m, y_m: both or none")

    def test_no_topic_reads_more_than_a_receiver_or_becomes_a_line_of_its_own(self):
        for topic in ("#", "+/#", "beacons/#", "beacons", "minew/#/x", "minew/a+", "a b", '"a\nuser operator"', 'a"', "{{ x }}", "a" * 201, ""):
            self.refuses(",moko/aisle-3,", f",{topic},", "receivers.csv: line")


if __name__ == "__main__":
    unittest.main()
