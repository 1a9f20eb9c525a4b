"""The service as a process of its own, and a small HTTP client for tests that need many at once."""

import asyncio
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATON = pathlib.Path(os.environ.get("BATON", ROOT / "target/debug/baton"))


def load_client():
    """The Python client from its file: it needs nothing but the standard library."""
    path = ROOT / "python/src/baton/client.py"
    spec = importlib.util.spec_from_file_location("baton_client", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = load_client()


class Service:
    """`baton serve` on a free port of this machine."""

    def __init__(self, store, *arguments, port=0):
        self.log = tempfile.NamedTemporaryFile("w+", prefix="baton-serve-", suffix=".log")
        command = [BATON, "serve", "--bind", f"127.0.0.1:{port}", "--store", store, *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=ROOT
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", line)
        assert found, f"the service did not begin: {line}{self.logged()}"
        self.host, self.port = found[1], int(found[2])
        self.url = f"http://{self.host}:{self.port}"

    def client(self, token=None):
        return client.Client(self.url, token=token)

    def logged(self):
        return pathlib.Path(self.log.name).read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends the service as a supervisor does, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


class Connection:
    """One HTTP/1.1 connection that is kept: a client among hundreds in one process."""

    def __init__(self, service):
        self.service = service
        self.streams = None

    async def call(self, method, path, body=None, key=None):
        """The status and the answer. A connection that breaks is an error: nothing is repeated."""
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.service.host, self.service.port)
        reader, writer = self.streams
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.service.host}", f"Content-Length: {len(data)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        if key is not None:
            lines.append(f"Idempotency-Key: {key}")
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status = int(head.split(" ", 2)[1])
        length = int(re.search(r"content-length: (\d+)", head, re.IGNORECASE)[1])
        return status, json.loads(await reader.readexactly(length))

    def close(self):
        if self.streams is not None:
            with contextlib.suppress(Exception):
                self.streams[1].close()
