#!/usr/bin/env python3
"""Writes a manual page from the project's own texts, so that no text is kept twice.

    beacond --experimental-dump-help | manual.py command VERSION     beacond.1, from the argument parser's own description
    manual.py settings VERSION < Configuration.md                    beacond.toml.5, from the article, with the README's example
"""
import json
import pathlib
import re
import sys

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"

# What the command does, and the command. The suite Documents holds the options against the program's help.
EXAMPLES = [
    ("Lists what keeps the agent of this machine from working, with a remedy for each problem:",
     "beacond check --config /etc/beacond/config.toml"),
    ("Shows the iBeacons in the air, the nearest first; with --json an object a second:", "beacond scan", "beacond scan --json --seconds 10"),
    ("Measures a beacon that is one metre away:", "beacond calibrate --uuid 39ED98FF-2900-441A-802F-9C398FC199D2 --distance 1"),
    ("Makes a simulated shop, and shows the messages that the agent would publish there:",
     "beacond simulate --write shop.btsnoop", "beacond replay shop.btsnoop"),
    ("Lists the gateways that a store hears, on the machine that joins them:", "beacond site check --seconds 10"),
]

COMMAND_TAIL = """
.SH EXIT STATUS
.TP
0
Done.
.TP
64
The command line is wrong.
.TP
65
The capture is damaged; everything before the damage was read.
.TP
66
The capture can't be opened.
.TP
69
The controller refuses to advertise.
.TP
73, 74
A capture can't be created, or not be written to the end.
.TP
75
May work later: another process holds the state folder, or not everything was delivered.
.TP
77
.B advertise
and
.BR calibrate :
missing permission.
.TP
78
The configuration is wrong, or
.B check
found something.
.SH SIGNALS
.TP
SIGTERM, SIGINT
What is known is published, the state is kept, and the agent ends.
.TP
SIGHUP
The configuration is read again. A wrong one is refused, and the old one stays.
.TP
SIGUSR1
With
.B [capture]
in the configuration, the recent HCI events are written to a file.
.SH ENVIRONMENT
.TP
NOTIFY_SOCKET, WATCHDOG_USEC
Set by
.BR systemd (1):
where the agent reports that it is ready, how it is, and that both its loops make progress.
.TP
CREDENTIALS_DIRECTORY
The folder with the file
.BR mqtt-password ,
for a broker's password.
.SH FILES
.TP
/etc/beacond/config.toml
The configuration.
.TP
/etc/credstore/beacond.mqtt-password
The broker's password, where the service has one.
.TP
/var/lib/beacond
Events that wait for the broker, and the state of the regions.
.TP
/usr/share/doc/beacond
What subscribers get
.RB ( contract ),
examples of a store's broker, and the articles.
.SH SEE ALSO
.BR beacond.toml (5),
.BR systemd.service (5),
.BR mosquitto (8)
"""


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    # A line that begins with a dot would be a request.
    return re.sub(r"(?m)^\.", r"\\&.", text)


def inline(text):
    """Makes `code` and **strong** bold; links keep their text."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]*)`|\*\*([^*]*)\*\*", text)
    plain, strong = parts[0::3], [code if code is not None else bold for code, bold in zip(parts[1::3], parts[2::3])]
    out = escape(plain[0])
    for word, rest in zip(strong, plain[1:]):
        out += "\\fB" + escape(word) + "\\fR" + (escape(rest) if rest else "")
    return out


def option(argument):
    names = ["-" * (1 if name["kind"] == "short" else 2) + name["name"] for name in argument.get("names", [])]
    value = "" if argument["kind"] == "flag" else argument.get("valueName", "")
    if argument["kind"] == "positional":
        return "\\fI" + escape(value) + "\\fR"
    text = ", ".join("\\fB" + escape(name) + "\\fR" for name in names)
    return text + (" \\fI" + escape(value) + "\\fR" if value else "")


def paragraphs(text):
    return "\n.PP\n".join(inline(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip()))


def command_sections(top, name):
    """Prints a section for each command, and for its subcommands."""
    for command in top.get("subcommands", []):
        if command["commandName"] == "help" or not command.get("shouldDisplay", True):
            continue
        own = name + " " + command["commandName"]
        print(".SS " + escape(own))
        print(paragraphs(command.get("abstract", "")))
        if command.get("discussion"):
            print(".PP\n" + paragraphs(command["discussion"]))
        for argument in command.get("arguments", []):
            names = [name["name"] for name in argument.get("names", [])]
            if not argument.get("shouldDisplay", True) or "help" in names or "version" in names:
                continue
            text = argument.get("abstract", "")
            if argument.get("defaultValue"):
                text += " Default: %s." % argument["defaultValue"]
            print(".TP\n" + option(argument) + "\n" + inline(" ".join(text.split())))
        command_sections(command, own)


def command_page(version):
    top = json.load(sys.stdin)["command"]
    print('.TH BEACOND 1 "" "beacond %s" "beacond"' % version)
    print(".SH NAME\nbeacond \\- iBeacon gateway: Bluetooth to MQTT")
    print(".SH SYNOPSIS\n.B beacond\n.I command\n.RI [ options ]")
    print(".SH DESCRIPTION\n" + paragraphs(top["abstract"]))
    print(".PP\nWithout\n.BR \\-\\-config ,\n.I ./config.toml\nis taken, then\n.IR /etc/beacond/config.toml .")
    print(".SH COMMANDS")
    command_sections(top, "beacond")
    print(".SH EXAMPLES")
    for words, *commands in EXAMPLES:
        print(".PP\n" + inline(words) + "\n.PP\n.nf\n" + escape("\n".join(commands)) + "\n.fi")
    print(COMMAND_TAIL.strip())


def table(rows):
    """Turns a table of keys into a list: a terminal is too narrow for four columns of sentences."""
    heads, *entries = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))] for row in rows]
    for cells in entries:
        if set("".join(cells)) <= set("-: "):
            continue
        cells = [cell.replace("\\|", "|") for cell in cells]
        print(".TP\n" + inline(cells[0]))
        if heads == ["key", "default", "must be", "meaning"]:
            print(inline(cells[3]) + "\n.br\nDefault: " + inline(cells[1]) + "; " + inline(cells[2]) + ".")
        else:
            print(inline("; ".join(cells[1:])))


def settings_page(version):
    print('.TH BEACOND.TOML 5 "" "beacond %s" "beacond"' % version)
    print(".SH NAME\nbeacond.toml \\- the settings of beacond, /etc/beacond/config.toml\n.SH DESCRIPTION")
    # The blocks of the articles' Markdown: headings, tables, lists, code, paragraphs.
    blocks = re.split(r"\n(?:[ \t]*\n)+", sys.stdin.read().strip())
    fenced = False
    for block in blocks:
        lines = block.split("\n")
        if fenced or lines[0].startswith("```"):
            closes = lines[-1].startswith("```") and (fenced or len(lines) > 1)
            body = [line for line in lines if not line.startswith("```")]
            print((".PP\n.nf\n" if not fenced else "\n") + escape("\n".join(body)) + ("\n.fi" if closes else ""))
            fenced = not closes
        elif lines[0].startswith("# "):
            continue
        elif lines[0].startswith("#"):
            title = lines[0].lstrip("# ")
            print((".SH " if lines[0].startswith("## ") else ".SS ") + escape(title))
        elif lines[0].startswith("|"):
            table(lines)
        elif lines[0].startswith("    "):
            print(".PP\n.nf\n" + escape("\n".join(lines)) + "\n.fi")
        elif re.match(r"[-*] ", lines[0]):
            for item in re.split(r"\n[-*] ", "\n" + block)[1:]:
                print(".IP \\(bu 2\n" + inline(" ".join(item.split())))
        else:
            print(".PP\n" + inline(" ".join(block.split())))
    example = re.search(r"^```toml\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)[1]
    print(".SH EXAMPLES\nA gateway at a store's entrance, which counts the visits of carts:\n.PP\n.nf\n" + escape(example.strip()) + "\n.fi")
    print(".SH SEE ALSO\n.BR beacond (1)")


if __name__ == "__main__":
    {"command": command_page, "settings": settings_page}[sys.argv[1]](sys.argv[2])
