"""deploy/broker/make-ca: a certificate has one common name, exactly the given one, and no name takes another's files."""

import re
import shutil
import subprocess
import unittest

from servers import LONGEST_WAIT_S, ROOT, scratch_folder

# What openssl's -subj, its configuration and a shell give a meaning.
NAMES = ["berlin-17/entrance", "a+CN=b/c", "a/CN=b", "a\\/CN=b", "a\\", "\\", "a\\+b", "a\\\\+b", "a=b", "=", "/", "a/", "#a", "$HOME", "${x}", "a,b", 'a"b', "a;b", " a ",
         "Käse/名", "-x", "*", "\u202ea"]


class Authority(unittest.TestCase):
    def setUp(self):
        self.folder = scratch_folder("authority")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.assertEqual(self.make()[0], 0)

    def make(self, *arguments):
        done = subprocess.run([ROOT / "deploy/broker/make-ca", self.folder, *arguments], capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False)
        return done.returncode, done.stderr

    def names(self, name):
        """The common names of a certificate, and whatever else its subject has."""
        file = self.folder / (name.replace("/", "-") + ".crt")
        said = subprocess.run(["openssl", "x509", "-in", file, "-noout", "-subject", "-nameopt", "sep_multiline,sname,utf8"], capture_output=True, text=True, check=True).stdout
        return re.findall(r"^ {4}(.*)$", said, re.MULTILINE)

    def test_a_certificate_has_one_common_name_exactly_the_given_one(self):
        for name in NAMES:
            self.assertEqual(self.make("client", name)[0], 0, name)
            self.assertEqual(self.names(name), [f"CN={name}"])
            for file in self.folder.glob("*.crt"):
                if file.name != "ca.crt":
                    file.unlink()

    def test_no_name_takes_the_files_of_another_one_or_revokes_it(self):
        self.assertEqual(self.make("client", "berlin/17-a")[0], 0)
        before = (self.folder / "berlin-17-a.key").read_bytes()
        for verb in ("client", "revoke", "server"):
            status, said = self.make(verb, "berlin-17-a")
            self.assertEqual(status, 64)
            self.assertIn("is the certificate of berlin/17-a", said)
        for verb in ("client", "server"):
            authority = (self.folder / "ca.key").read_bytes()
            self.assertEqual(self.make(verb, "ca")[0], 64)
            self.assertEqual((self.folder / "ca.key").read_bytes(), authority)
        self.assertEqual((self.folder / "berlin-17-a.key").read_bytes(), before)
        # The same name again is a renewal.
        self.assertEqual(self.make("client", "berlin/17-a")[0], 0)
        self.assertEqual(self.make("revoke", "berlin/17-a")[0], 0)

    def test_a_name_that_no_certificate_can_have_is_refused(self):
        for arguments in (("client", ""), ("client", "a\nb"), ("client", "a\x1bb"), ("client",), ("revoke",), ("server",), ("server", "a,DNS:b"), ("server", "../x"),
                          ("server", "good.example.com", "b\nbasicConstraints=CA:TRUE"), ("server", ""), ("nothing", "x")):
            status, said = self.make(*arguments)
            self.assertEqual((status, said.startswith("make-ca: ")), (64, True), (arguments, said))
        self.assertNotEqual(self.make("client", "x" * 65)[0], 0)


if __name__ == "__main__":
    unittest.main()
