"""Runs a command whose stderr is a terminal, and interrupts it when a text appears there.

    on_terminal.py TEXT COMMAND...      exit code 0 and "exit N", N being the command's exit code, if the
                                        text appeared; else exit code 1 and what did appear
"""

import os
import pty
import signal
import subprocess
import sys


def main():
    wanted, command = sys.argv[1].encode(), sys.argv[2:]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the terminal has no writer any more
            break
        if not piece:
            break
        seen = wanted in written
        written += piece
        if wanted in written and not seen:
            process.send_signal(signal.SIGINT)
    process.wait()
    if wanted in written:
        print(f"exit {process.returncode}")
        return 0
    sys.stdout.write(written.decode(errors="replace"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
