"""The commands as an installer sees them. Each function named test_… is one test; its docstring is the rule that it holds. `folder` is one of its
own, in which there is a named pipe."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from datetime import datetime

from btsnoop import HEADER
from session import Session
from waiting import PATIENCE_S

BEACOND = sys.argv[1]
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"


class Skipped(Exception):
    pass


def run(*arguments, **options):
    return subprocess.run(
        [BEACOND, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, **options
    )


@contextlib.contextmanager
def scan(*arguments, **window):
    with tempfile.TemporaryDirectory() as folder:
        # No configuration is found in an empty folder, nor in /etc on a machine that tests.
        with Session(["env", "-C", folder, BEACOND, "scan", *arguments], **window) as session:
            session.folder = folder
            yield session


def is_waiting(session):
    def condition():
        text = session.screen.text
        return session.screen.alternate and text.startswith("auto: absent") and text.endswith("waiting")

    return condition


def test_unknown_command():
    """A mistyped command is answered with the one that was meant."""
    done = run("chek")
    assert done.returncode == 64 and done.stdout == "", done
    assert done.stderr == "beacond has no command 'chek': did you mean check?\n", done


def test_replay_of_a_file_that_is_not_there(folder):
    """A capture that can't be read is an error without a summary of zeros."""
    config, missing = os.path.join(folder, "config.toml"), os.path.join(folder, "missing.btsnoop")
    open(config, "w").close()
    for capture, status in [(missing, 66), (config, 65)]:
        done = run("replay", capture, "--config", config)
        assert done.returncode == status and len(done.stderr.splitlines()) == 1, done


def test_waiting_screen():
    """Without an adapter the screen says what is missing and what to do about it, and waits."""
    with scan() as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        lines = session.screen.text.split("\n")
        assert lines[0].startswith("auto: absent  0 reports/s  0 beacons  0 rejected"), lines[0]
        assert any("adapter" in line or "Bluetooth" in line for line in lines[1:]), lines
        assert session.screen.hidden and not session.screen.overflown
        assert session.process.poll() is None


def test_ctrl_c():
    """Ctrl-C ends with 0, gives the terminal back as it was, and leaves the last table on it."""
    with scan() as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        session.type("\x03")
        assert session.end() == 0
        assert not session.screen.alternate and not session.screen.hidden
        assert session.is_restored
        assert "auto: absent" in session.screen.text


def test_sigterm():
    """SIGTERM and SIGHUP end it as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        with scan() as session:
            session.wait_for(is_waiting(session), "the waiting screen")
            session.signal(number)
            assert session.end() == 0
            assert not session.screen.alternate and session.is_restored


def test_redraw():
    """The picture is drawn over itself again and again, and scrolls nothing."""
    with scan() as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        session.wait_for_pictures(5)
        session.wait_for(is_waiting(session), "the waiting screen still")
        assert not session.screen.overflown


def test_resize():
    """A window that changes its size gets pictures of that size."""
    with scan() as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        for width, height in ((40, 10), (20, 4), (132, 50)):
            session.resize(width, height)
            # The first may have been on its way already.
            session.wait_for_pictures(1)
            session.screen.overflown = False
            session.wait_for_pictures(2)
            assert not session.screen.overflown, session.screen.text
            assert session.screen.text.startswith("auto: absent"[:width]), session.screen.text


def test_typing():
    """Typed characters are neither shown nor left for the shell."""
    with scan() as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        session.type("rm -r x\r")
        session.wait_for_pictures()
        assert "rm -r" not in session.screen.raw
        session.signal(signal.SIGTERM)
        assert session.end() == 0
        os.set_blocking(session.slave, False)
        try:
            left = os.read(session.slave, 100)
        except BlockingIOError:
            left = b""
        assert left == b"", left


def test_suspend():
    """Ctrl-Z gives the terminal to the shell, and a continued scan takes it again."""
    with Session([sys.executable, "shell.py", "env", "-C", "/", BEACOND, "scan"]) as session:
        session.wait_for(is_waiting(session), "the waiting screen")
        session.type("\x1a")
        session.wait_for(lambda: "the shell" in session.screen.text, "stopped")
        assert not session.screen.alternate and not session.screen.hidden and session.is_restored
        session.type("\r")
        session.wait_for(is_waiting(session), "the waiting screen again")
        session.type("\x03")
        assert session.end() == 0 and session.is_restored


def test_dumb_terminal():
    """A terminal that can't move its cursor gets lines."""
    with scan("--seconds", "2", term="dumb") as session:
        assert session.end() == 0
        assert "\x1b" not in session.screen.raw, session.screen.raw
        assert "auto: absent" in session.screen.raw


def test_plain(folder):
    """Where standard output is no terminal there are lines, and what is missing stands on standard error, once."""
    done = run("scan", "--seconds", "3", cwd=folder)
    assert done.returncode == 0, done
    assert done.stdout.startswith("AT ") and done.stdout.count("\n") == 1, done.stdout
    assert done.stderr.count("auto: absent: ") == 1, done.stderr


def published_at(updates):
    """When each was published, by its own `at`."""
    return [datetime.fromisoformat(update["at"].replace("Z", "+00:00")).timestamp() for update in updates]


def test_json(folder):
    """--json prints one object a line, no more than one a second, with the radio's state and remedy."""
    done = run("scan", "--json", "--seconds", "4", cwd=folder)
    assert done.returncode == 0, done
    updates = [json.loads(line) for line in done.stdout.splitlines()]
    at = published_at(updates)
    # The last one is how things stand at the end, whenever that is.
    assert len(at) >= 2 and all(later - earlier > 0.99 for earlier, later in zip(at, at[1:-1])), at
    last = updates[-1]
    assert (last["radio"], last["adapter"], last["count"], last["beacons"]) == ("absent", "auto", 0, []), last
    assert last["remedy"] and last["at"].endswith("Z")


def test_seconds():
    """--seconds is how long it lasts, whatever it shows; what it shows last is how things stand then."""
    for seconds, form in ((1, []), (1, ["--json"]), (2, ["--json"]), (2, ["--write", "room.btsnoop"])):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.time()
            done = run("scan", "--seconds", str(seconds), *form, cwd=folder)
            end = time.time()
        assert done.returncode == 0 and end >= begin + seconds, done
        if "--json" in form:
            assert published_at(json.loads(line) for line in done.stdout.splitlines())[-1] >= begin + seconds, done.stdout


def test_json_reader_goes_away(folder):
    """scan ends by itself when its reader is gone."""
    command = f"'{BEACOND}' scan --json; echo $? >status"
    pipe = ["bash", "-c", f"{{ {command}; }} | head -n 1"]
    done = subprocess.run(pipe, cwd=folder, timeout=PATIENCE_S, capture_output=True)
    assert done.returncode == 0
    with open(os.path.join(folder, "status")) as status:
        assert status.read() == "0\n"


def test_empty_capture():
    """--write makes a capture that replay reads, even of a radio that never came."""
    with scan("--write", "room.btsnoop") as session:
        session.wait_for(lambda: "capture room.btsnoop: 0 events" in session.screen.text, "the capture's line")
        path = os.path.join(session.folder, "room.btsnoop")
        with open(path, "rb") as capture:
            assert capture.read() == HEADER
        session.type("\x03")
        assert session.end() == 0
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
        done = run("replay", path, "--config", os.path.join(root, "config.toml"), "--output", "none")
        assert done.returncode == 0 and "reports=0 " in done.stderr, done


def test_capture_refused():
    """A capture that can't be created is an error with its reason, before anything is drawn."""
    with scan("--write", "/nowhere/room.btsnoop") as session:
        assert session.end() == 73
        assert "/nowhere/room.btsnoop" in session.screen.text and "No such file" in session.screen.text
        assert "\x1b" not in session.screen.raw


def test_full_disk():
    """A disk that is full from the beginning is said, with 73."""
    if not os.path.exists("/dev/full"):
        raise Skipped("no /dev/full")
    with scan("--write", "/dev/full") as session:
        assert session.end() == 73
        assert "No space left" in session.screen.text, session.screen.text


def test_configuration(folder):
    """A named configuration that is missing or broken ends it with 78."""
    assert run("scan", "--config", "none.toml", cwd=folder).returncode == 78
    with open(os.path.join(folder, "bad.toml"), "w") as file:
        file.write("[radio]\nwindow_ms = 90\n")
    done = run("scan", "--config", "bad.toml", cwd=folder)
    assert done.returncode == 78 and "radio.window_ms" in done.stderr, done
    # One that was not asked for counts too.
    os.rename(os.path.join(folder, "bad.toml"), os.path.join(folder, "config.toml"))
    assert run("scan", "--seconds", "1", cwd=folder).returncode == 78


def test_usage():
    """Wrong values are refused with 64, and the value is named."""
    beacon = ["--uuid", UUID, "--major", "1", "--minor", "2"]
    for arguments, named in [
        (["scan", "--seconds", "0"], "--seconds 0"),
        (["scan", "--json", "--write", "-"], "--write -"),
        (["advertise", "--uuid", "39ED", "--major", "1", "--minor", "2"], "39ED"),
        (["advertise", "--uuid", UUID, "--major", "65536", "--minor", "2"], "65536"),
        (["advertise", "--uuid", UUID, "--major", "1"], "--minor"),
        (["advertise", *beacon, "--measured-power", "21"], "--measured-power 21"),
        (["advertise", *beacon, "--measured-power", "-128"], "--measured-power -128"),
        (["advertise", *beacon, "--interval", "19"], "--interval 19"),
        (["advertise", *beacon, "--adapter", "wlan0"], "wlan0"),
        (["calibrate", "--uuid", UUID, "--distance", "0"], "--distance 0"),
        (["calibrate", "--uuid", UUID, "--seconds", "4"], "--seconds 4"),
    ]:
        done = run(*arguments)
        assert done.returncode == 64, (arguments, done)
        assert named in done.stderr, (arguments, done.stderr)


def test_advertise_waits():
    """Without an adapter advertise says what is missing, and SIGTERM ends it with 0."""
    process = subprocess.Popen(
        [BEACOND, "advertise", "--uuid", UUID, "--major", "1", "--minor", "2"], stderr=subprocess.PIPE, text=True
    )
    assert "measured power -59 dBm" in process.stderr.readline()
    assert process.stderr.readline().startswith("absent: ")
    process.terminate()
    assert process.wait(PATIENCE_S) == 0
    process.stderr.close()


def test_calibrate_waits(folder):
    """Without an adapter calibrate says what is missing, and after Ctrl-C that nothing could be measured, with 65."""
    process = subprocess.Popen(
        [BEACOND, "calibrate", "--uuid", UUID], stderr=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stderr.readline().startswith("auto: absent: ")
    process.send_signal(signal.SIGINT)
    said = process.stderr.read()
    assert process.wait(PATIENCE_S) == 65 and "did not scan" in said and "not heard" not in said, said
    process.stderr.close()


def test_check_without_configuration(folder):
    """check names a missing or broken configuration, and looks at the adapter all the same."""
    done = run("check", "--config", "none.toml", cwd=folder)
    assert done.returncode == 78 and "problem configuration: none.toml" in done.stdout and not done.stderr, done
    assert "problem adapter: auto: absent" in done.stdout and "skipped broker: not tried" in done.stdout, done
    assert "skipped state: not tried" in done.stdout, done


def write_configuration(folder, **mqtt):
    with open(os.path.join(folder, "config.toml"), "w") as file:
        file.write(f'[gateway]\nsite = "store"\nid = "gw"\nstate_dir = "{folder}/state"\n[mqtt]\n')
        for name, value in {"url": "mqtts://127.0.0.1:1", "username": "gw", **mqtt}.items():
            file.write(f'{name} = "{value}"\n')


def agent_says(folder, words):
    """The agent's first line with these words. Then SIGTERM ends it, with 0."""
    process = subprocess.Popen([BEACOND, "run"], stderr=subprocess.PIPE, text=True, cwd=folder)
    line = ""
    while words not in line:
        line = process.stderr.readline()
        assert line, "ended without a word"
    process.terminate()
    process.stderr.close()
    assert process.wait(PATIENCE_S) == 0
    return line


def test_check_without_a_region(folder):
    """check warns where no region is configured, because such an agent publishes no visit, and says which command lists UUIDs."""
    for regions, is_warned in (("", True), (f'[[region]]\nid = "carts"\nuuid = "{UUID}"\n', False)):
        with open(os.path.join(folder, "config.toml"), "w") as file:
            file.write(regions + '[gateway]\nstate_dir = "state"\n')
        lines = run("check", cwd=folder).stdout.splitlines()
        warnings = [line for line in lines if line.startswith("warning regions: ") and "beacond scan" in line]
        assert bool(warnings) == is_warned, lines


def test_run_and_check_of_a_missing_adapter(folder):
    """The agent logs the cause that check names, with its remedy."""
    write_configuration(folder)
    checked = run("check", cwd=folder).stdout.splitlines()
    remedy = checked[checked.index("problem adapter: auto: absent") + 1].strip()
    line = agent_says(folder, "radio: absent: ")
    # check names the missing right as well, to save the installer another round.
    assert remedy.startswith(line.partition("radio: absent: ")[2].strip()), (remedy, line)


def test_check_on_a_terminal(folder):
    """On a terminal, check breaks lines between words and colours the word problem, unless NO_COLOR is set."""
    write_configuration(folder)
    for environment, coloured in ((["-u", "NO_COLOR"], True), (["NO_COLOR=1"], False)):
        with Session(["env", "-C", folder, *environment, BEACOND, "check"], width=60, height=40) as session:
            assert session.end() == 78
            text = session.screen.raw.replace("\r", "")
        assert ("\x1b[31mproblem\x1b[0m broker: " in text) == coloured, text
        plain = re.sub(r"\x1b\[\d+m", "", text)
        assert ("\x1b" in plain) is False, text
        lines = plain.splitlines()
        assert all(len(line) <= 60 or " " not in line.strip() for line in lines), lines
        assert all(line[:8].strip() in ("", "ok", "warning", "problem") for line in lines), lines


def test_check_of_an_open_password(folder):
    """A password that each user of the machine can read is a problem with its remedy."""
    path = os.path.join(folder, "password")
    with open(path, "w") as file:
        file.write("secret\n")
    write_configuration(folder, password_file=path)
    os.chmod(path, 0o644)
    done = run("check", cwd=folder)
    assert f"problem password: {path} is open to each user" in done.stdout and f"chmod 600 {path}" in done.stdout, done
    os.chmod(path, 0o640)
    assert "password: " not in run("check", cwd=folder).stdout


def test_check_pipes(folder):
    """check says of a pipe, a device and a folder that they are no files, for each file that [mqtt] names."""
    for named, kind in [(f"{folder}/pipe", "a named pipe"), ("/dev/zero", "a device"), (folder, "a folder")]:
        for mqtt in (
            {"password_file": named},
            {"ca_file": named},
            {"cert_file": named, "key_file": os.path.join(folder, "config.toml")},
            {"cert_file": os.path.join(folder, "config.toml"), "key_file": named},
        ):
            write_configuration(folder, **mqtt)
            done = run("check", cwd=folder)
            assert done.returncode == 78 and f"{named}: it is {kind}, not a regular file" in done.stdout, (mqtt, done)


def test_run_with_pipes(folder):
    """An agent whose password file is a pipe says so, goes on, and ends on SIGTERM."""
    write_configuration(folder, password_file=f"{folder}/pipe")
    agent_says(folder, "it is a named pipe")


def test_commands_with_pipes(folder):
    """A command whose file is a pipe without an other end says so."""
    for arguments, status in [
        (["check", "--config", "pipe"], 78),
        (["simulate", "--write", "pipe"], 73),
    ]:
        if arguments[0] != "check":
            write_configuration(folder)
        done = run(*arguments, cwd=folder)
        assert done.returncode == status and "pipe: can't " in done.stdout + done.stderr, (arguments, done)


def test_replay_of_pipe(folder):
    """A capture may come through a pipe: its end is the capture's, and a signal ends the wait for it."""
    write_configuration(folder)
    for ends, status in [(lambda _, pipe: os.close(pipe), 0), (lambda process, _: process.terminate(), 75)]:
        process = subprocess.Popen(
            [BEACOND, "replay", "pipe"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        # This waits until the other end is open.
        pipe = os.open(os.path.join(folder, "pipe"), os.O_WRONLY)
        os.write(pipe, HEADER)
        ends(process, pipe)
        assert process.wait(PATIENCE_S) == status, status
        with contextlib.suppress(OSError):
            os.close(pipe)


def test_check_state_folder(folder):
    """check says what keeps an agent from its state folder, and leaves nothing behind."""
    state = os.path.join(folder, "state")
    write_configuration(folder)
    assert f"ok      state: {state} can be written" in run("check", cwd=folder).stdout
    assert not os.path.exists(state)
    os.symlink("nowhere", state)
    done = run("check", cwd=folder)
    assert f"problem state: {state}: " in done.stdout and "a link to something that is not there" in done.stdout, done
    os.remove(state)
    agent = subprocess.Popen([BEACOND, "run"], stderr=subprocess.DEVNULL, cwd=folder)
    while not os.path.exists(os.path.join(state, "outbox.sqlite")):
        time.sleep(0.1)
    assert f"ok      state: {state} is in use by this gateway's agent" in run("check", cwd=folder).stdout
    os.rename(os.path.join(folder, "config.toml"), os.path.join(folder, "former.toml"))
    with open(os.path.join(folder, "former.toml")) as former, open(os.path.join(folder, "config.toml"), "w") as file:
        file.write(former.read().replace('id = "gw"', 'id = "other"'))
    done = run("check", cwd=folder)
    assert f"problem state: {state} is in use by the agent of beacons/store/gw" in done.stdout, done
    agent.terminate()
    assert agent.wait(PATIENCE_S) == 0


def notes_signals(process):
    """Whether the process has begun to note SIGTERM instead of ending by it."""
    with open(f"/proc/{process.pid}/status") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def test_replay_ends_on_a_signal(folder):
    """A signal ends a replay that waits for its capture, or for the time of its next record, with whole lines and the closing line."""
    write_configuration(folder)
    done = subprocess.run([BEACOND, "simulate", "--seconds", "60", "--write", "-"], capture_output=True)
    for air, arguments in [(b"", []), (done.stdout[:50_000], []), (done.stdout, ["--speed", "1"])]:
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(
                [BEACOND, "replay", "-", *arguments],
                cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            while not notes_signals(process):
                time.sleep(0.05)
            process.stdin.write(air)
            process.stdin.flush()
            process.send_signal(number)
            output, said = process.stdout.read(), process.stderr.read().decode()
            assert process.wait(PATIENCE_S) == 75, (len(air), said)
            assert "stopped by a signal" in said and said.splitlines()[-1].startswith("reports="), said
            messages = [json.loads(line) for line in output.splitlines()]
            if messages:
                assert messages[-1]["payload"]["state"] == "offline", messages[-1]
            process.stdin.close()
            process.stdout.close()
            process.stderr.close()


def test_replay_up_to_the_present(folder):
    """--speed present plays the past of a capture at once, with its events and without its lists, and the rest when it is due."""
    with open(os.path.join(folder, "config.toml"), "w") as file:
        file.write(f'[[region]]\nid = "carts"\nuuid = "{UUID}"\nexpand = "minor"\nranging = true\n')
    done = run(
        "simulate", "--scenario", "rooms", "--gateways", "1", "--seconds", "123", "--start-now", "--past", "120",
        "--first-phone-at", "60", "--write", "shop.btsnoop", cwd=folder)
    assert done.returncode == 0, done
    done = run("replay", "shop-1.btsnoop", "--speed", "present", cwd=folder)
    assert done.returncode == 0 and "the capture has reached the present" in done.stderr, done
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    entries = [one for one in messages if one["payload"].get("type") == "enter" and one["payload"]["minor"] == 1]
    assert entries and 60 <= entries[0]["t"] < 70, entries
    lists = [one["t"] for one in messages if one["topic"].endswith("/ranging")]
    assert all(t >= 119 for t in lists), lists


def limited(what, amount):
    """Options of a process that may have only so much of something."""
    return {"preexec_fn": lambda: resource.setrlimit(what, (amount, amount))}


def test_few_files(folder):
    """A command that can't open as many files as it needs says so and how to allow more, with 75. None traps."""
    write_configuration(folder)
    for files in (4, 5, 8, 12, 16, 20, 32, 48):
        for command in (["run"], ["check"], ["scan"], ["replay", "-"], ["calibrate", "--uuid", UUID]):
            done = run(*command, cwd=folder, **limited(resource.RLIMIT_NOFILE, files))
            assert done.returncode == 75, (files, command, done)
            assert "Too many open files" in done.stderr and "ulimit -n" in done.stderr, (files, command, done)


def test_own_limit_raised(folder):
    """A limit that the agent may raise itself keeps no command from starting."""
    write_configuration(folder)
    soft = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 1024))
    done = run("replay", "-", cwd=folder, preexec_fn=soft)
    assert done.returncode == 65 and "open files" not in done.stderr, done


def test_little_memory(folder):
    """A command that can't have the memory that it needs says so, with 75."""
    write_configuration(folder)
    for MiB in (160, 240, 400):
        for command in (["run"], ["check"], ["replay", "-"]):
            done = run(*command, cwd=folder, **limited(resource.RLIMIT_AS, MiB << 20))
            assert done.returncode == 75 and "too little memory" in done.stderr, (MiB, command, done)


def test_help():
    """Every command says what it does, its options and its exit statuses."""
    for command in ("scan", "advertise", "calibrate"):
        done = run(command, "--help")
        assert done.returncode == 0 and "Exit status: 0" in done.stdout, done.stdout


def main():
    passed = failed = skipped = 0
    for name, test in [item for item in globals().items() if item[0].startswith("test_")]:
        try:
            with tempfile.TemporaryDirectory() as folder:
                # A named pipe without a writer.
                os.mkfifo(os.path.join(folder, "pipe"))
                test(folder) if test.__code__.co_argcount else test()
            passed += 1
        except Skipped as reason:
            skipped += 1
            print(f"skipped: Console/{name}: {reason}")
        except Exception:
            failed += 1
            print(f"failed: {name}: {test.__doc__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
