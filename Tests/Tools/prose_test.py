#!/usr/bin/python3
"""The findings of prose, and texts without any."""
import pathlib
import subprocess
import tempfile
import unittest

import prose_read

TOOL = pathlib.Path(__file__).with_name("prose")
LONG = "The agent " + "waits and " * 16 + "stops."


def findings(name, text):
    """The rules that a file of this name and text breaks, in order of lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text)
        said = subprocess.run([TOOL, path], capture_output=True, text=True, check=False).stdout.splitlines()[:-1]
    return [(int(line.split(":")[1]), line.split(": ")[1]) for line in said]


class Prose(unittest.TestCase):
    def test_a_sentence_of_more_than_30_words_is_found_in_each_kind_of_file(self):
        for name, text in [
            ("a.md", LONG), ("a.swift", f"/// {LONG}"), ("a.py", f'"""{LONG}"""'), ("a.sql", f"-- {LONG}"), ("a.js", f"// {LONG}"),
            ("a.json", f'{{\n"description": "{LONG}"}}'), ("a.toml", f"# {LONG}"), ("a.sh", f"# {LONG}"),
        ]:
            self.assertEqual([rule for _, rule in findings(name, text)], ["has more than 30 words"], name)

    def test_words_of_comments_on_several_lines_are_one_sentence(self):
        self.assertEqual(findings("a.swift", "let a = 1\n/// The agent" + "\n/// waits and" * 16 + "\n/// stops.\n"), [(2, "has more than 30 words")])

    def test_a_list_item_and_a_cell_are_sentences_of_their_own(self):
        self.assertEqual(findings("a.md", "".join(f"- The agent waits {n} s\n" for n in range(20))), [])
        self.assertEqual(findings("a.md", "| a | b |\n| - | - |\n" + "| the agent waits | and then stops |\n" * 20), [])

    def test_code_is_no_prose(self):
        self.assertEqual(findings("a.md", "```\n" + LONG + "\nnobody\n```\n"), [])
        self.assertEqual(findings("a.swift", "/// Words:\n///\n///     nobody knows\nlet name = \"nobody\"\n"), [])

    def test_a_documentation_comment_begins_with_the_thing(self):
        for opening in ["The same for a store.", "What a gateway says.", "Who it was.", "As above.", "Whether it is a store."]:
            self.assertEqual(findings("a.swift", f"/// {opening}\n"), [(1, "begins with what it does not name")], opening)
        self.assertEqual(findings("a.swift", "/// The silence after which a track ends.\n"), [])

    def test_a_message_names_the_party(self):
        self.assertEqual(findings("a.swift", 'throw Failure("The file is missing, and nobody reads \\(name) now")\n'), [(1, "has a phrase to avoid")])

    def test_words_behind_a_colon_are_read_as_well(self):
        self.assertEqual(findings("a.md", "The adapter is off: somebody else has to switch it on.\n"), [(1, "has a phrase to avoid")])

    def test_a_part_that_a_tool_writes_is_read_at_its_source(self):
        self.assertEqual(findings("a.md", f"<!-- begin kinds -->\n{LONG}\n<!-- end kinds -->\n\nnobody is here.\n"), [(5, "has a phrase to avoid")])

    def test_interpolation_in_a_message_is_a_word(self):
        self.assertEqual(list(prose_read.swift('let text = "the broker \\(a.b(c)) refused this message"\n')), [("message", 1, "the broker CODE refused this message")])


if __name__ == "__main__":
    unittest.main()
