"""Run a server for a client over pipes, and keep what goes each way: `tee.py FOLDER COMMAND...`.

It stands below the SDKs on both sides, and looks at nothing: bytes come and go
as they are, and into two files of FOLDER, PID.in and PID.out.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

SIZE = 65536


def relay(source, sink, copy):
    """Pass on what comes until no more comes or nobody takes it."""
    with open(copy, "ab", buffering=0) as file:
        while data := os.read(source, SIZE):
            file.write(data)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(sink, view) :]
            except BrokenPipeError:
                return


def main(folder, *command):
    # A server of its own session would outlive a client that kills our group.
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())

    def forward():
        relay(0, server.stdin.fileno(), os.path.join(folder, f"{os.getpid()}.in"))
        server.stdin.close()

    # If the client goes away, the server reads its end and goes, and then so do we. If the
    # server goes first, this thread may still wait for the client: it holds up nothing.
    threading.Thread(target=forward, daemon=True).start()
    relay(server.stdout.fileno(), 1, os.path.join(folder, f"{os.getpid()}.out"))
    server.stdout.close()
    return server.wait()


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    os._exit(status if status >= 0 else 128 - status)
