#!/usr/bin/env python3
"""A proxy in front of the API server that counts writes and can kill a program at one of them.

    writeproxy.py --kubeconfig FILE --write FILE --control SOCKET
    writeproxy.py --control SOCKET --say "COMMAND"

It speaks HTTP/1.1 over TLS with a certificate of its own on a free port and writes a kubeconfig that
leads to it; upstream it uses the client certificate of the first kubeconfig. Writes are requests other
than GET for anything but Leases and Events.

Commands:
    kill N PID    kill PID with SIGKILL when the Nth write from now on has been carried out, before its
                  answer is passed on; connections of then are dropped
    lose N        the answer of the Nth write from now on is lost: carried out, connection dropped
    count         writes so far
    log           one line "METHOD PATH" for each write so far
    quit          end
"""

import argparse
import asyncio
import base64
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile


def read_kubeconfig(path):
    text = subprocess.run(["kubectl", "--kubeconfig", path, "config", "view", "--raw", "--minify",
                           "-o", "json"], check=True, capture_output=True, text=True).stdout
    config = json.loads(text)
    return config["clusters"][0]["cluster"], config["users"][0]["user"]


def material(entry, name, folder):
    if name in entry:
        return entry[name]
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(base64.b64decode(entry[name + "-data"]))
    return path


class Proxy:
    def __init__(self, target, upstream_tls):
        self.target = target
        self.upstream_tls = upstream_tls
        self.writes = []
        self.kill_at = None
        self.kill_pidfd = None
        self.lose_at = None
        self.connections = set()

    def is_write(self, method, path):
        path = path.split("?")[0]
        return method != "GET" and "/leases" not in path and "/events" not in path

    def on_written(self):
        """True if the answer must not be passed on."""
        if self.kill_at is not None and len(self.writes) >= self.kill_at:
            self.kill_at = None
            # Not by number: that may belong to another process by now.
            try:
                signal.pidfd_send_signal(self.kill_pidfd, signal.SIGKILL)
            except ProcessLookupError:
                pass
            for writer in list(self.connections):
                writer.transport.abort()
            return True
        if self.lose_at is not None and len(self.writes) >= self.lose_at:
            self.lose_at = None
            return True
        return False

    async def serve(self, reader, writer):
        self.connections.add(writer)
        up_writer = None
        try:
            host, port = self.target
            up_reader, up_writer = await asyncio.open_connection(host, port, ssl=self.upstream_tls)
            while await self.exchange(reader, writer, up_reader, up_writer):
                pass
        except (OSError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            self.connections.discard(writer)
            for w in (writer, up_writer):
                if w is not None:
                    w.transport.abort()

    async def exchange(self, reader, writer, up_reader, up_writer):
        head = await reader.readuntil(b"\r\n\r\n")
        method, path, _ = head.split(b"\r\n")[0].decode().split(" ", 2)
        size = length_of(head)
        body = await reader.readexactly(size) if size else b""
        write = self.is_write(method, path)
        up_writer.write(head + body)
        await up_writer.drain()
        if not write:
            return await pass_answer(up_reader, writer)
        answer = await whole_answer(up_reader)
        self.writes.append(f"{method} {path}")
        if self.on_written():
            return False
        writer.write(answer)
        await writer.drain()
        return True


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().lower()
    return None


def length_of(head):
    return int(header(head, b"content-length") or 0)


async def chunks(reader):
    """The raw bytes of a chunked body, piece by piece."""
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        data = await reader.readexactly(size + 2)
        yield line + data
        if size == 0:
            return


async def whole_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    if header(head, b"transfer-encoding") == b"chunked":
        return head + b"".join([c async for c in chunks(reader)])
    return head + await reader.readexactly(length_of(head))


async def pass_answer(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(head)
    if header(head, b"transfer-encoding") == b"chunked":
        async for piece in chunks(reader):
            writer.write(piece)
            await writer.drain()
    else:
        writer.write(await reader.readexactly(length_of(head)))
    await writer.drain()
    return True


def make_certificate(folder):
    cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    return cert, key


async def control(proxy, stop, reader, writer):
    words = (await reader.readline()).decode().split()
    answer = "ok"
    if words[:1] == ["kill"] and len(words) == 3:
        proxy.kill_at = len(proxy.writes) + int(words[1])
        if proxy.kill_pidfd is not None:
            os.close(proxy.kill_pidfd)
        proxy.kill_pidfd = os.pidfd_open(int(words[2]))
    elif words[:1] == ["lose"] and len(words) == 2:
        proxy.lose_at = len(proxy.writes) + int(words[1])
    elif words == ["count"]:
        answer = str(len(proxy.writes))
    elif words == ["log"]:
        answer = "\n".join(proxy.writes)
    elif words == ["quit"]:
        stop.set()
    else:
        answer = "error: unknown command"
    writer.write(answer.encode() + b"\n")
    await writer.drain()
    writer.close()


async def run(args):
    with tempfile.TemporaryDirectory() as folder:
        cluster, user = read_kubeconfig(args.kubeconfig)
        up = ssl.create_default_context(cafile=material(cluster, "certificate-authority", folder))
        up.load_cert_chain(material(user, "client-certificate", folder),
                           material(user, "client-key", folder))
        host, port = cluster["server"].removeprefix("https://").rsplit(":", 1)
        proxy = Proxy((host, int(port)), up)
        cert, key = make_certificate(folder)
        down = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        down.load_cert_chain(cert, key)
        down.set_alpn_protocols(["http/1.1"])
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=down, limit=1 << 25)
        stop = asyncio.Event()
        await asyncio.start_unix_server(lambda r, w: control(proxy, stop, r, w), args.control)
        with open(cert, "rb") as f:
            ca = base64.b64encode(f.read()).decode()
        with open(args.write, "w", encoding="utf-8") as f:
            json.dump({
                "apiVersion": "v1", "kind": "Config", "current-context": "proxy",
                "clusters": [{"name": "proxy", "cluster": {
                    "server": f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}",
                    "certificate-authority-data": ca}}],
                "users": [{"name": "proxy", "user": {"token": "proxy"}}],
                "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "proxy"}}],
            }, f)
        await stop.wait()
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
        # Connections of watches are still open: no farewell to each of them.
        os._exit(0)


def say(path, command):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(command.encode() + b"\n")
        text = b""
        while piece := s.recv(65536):
            text += piece
    print(text.decode().rstrip("\n"))
    return 1 if text.startswith(b"error") else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kubeconfig")
    p.add_argument("--write")
    p.add_argument("--control", required=True)
    p.add_argument("--say")
    args = p.parse_args()
    if args.say:
        return say(args.control, args.say)
    asyncio.run(run(args))
    return 0


if __name__ == "__main__":
    sys.exit(main())
