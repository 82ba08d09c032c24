"""shell.py COMMAND…: as much of a shell as Ctrl-Z needs. Runs the command in the foreground; when it stops, says so, and
continues it once a line was typed. Ends with the command's exit status."""

import os
import signal
import sys

# Whoever is in the background and hands the terminal over would be stopped for it.
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status = os.waitpid(child, os.WUNTRACED)
if os.WIFSTOPPED(status):
    os.tcsetpgrp(0, os.getpgrp())
    print("the shell", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
