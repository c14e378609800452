#!/usr/bin/env python3
"""A TCP proxy that can be told to misbehave, for tests.

    faultproxy.py --listen 127.0.0.1:PORT --target HOST:PORT --control SOCKET
    faultproxy.py --control SOCKET --say "COMMAND"

Commands:
    pass              forward everything; what was held back goes on where it stopped
    blackhole         hold everything, on old and new connections: they stay open, nothing
                      arrives, nobody hears a FIN
    blackhole old     hold the connections of now for ever; those made from now on work
    cut               reset all connections of now; those made from now on work
    refuse            reset all connections of now and those to come
    delay MS          forward everything MS milliseconds later
    stat              print the mode and the number of connections
    quit              end
The answer is one line, "ok ..." or "error ...".
"""

import argparse
import collections
import os
import selectors
import socket
import struct
import sys
import time

READ_SIZE = 64 * 1024
QUEUE_MAX = 4 * 1024 * 1024  # per direction; beyond it the proxy stops reading


class Half:
    """One direction of a connection: bytes read from src, due to be written to dst."""

    def __init__(self, src, dst):
        self.src = src
        self.dst = dst
        self.queue = collections.deque()  # (due time, bytes)
        self.size = 0
        self.eof = False
        self.shut = False


class Link:
    def __init__(self, client, server):
        self.socks = (client, server)
        self.halves = (Half(client, server), Half(server, client))
        self.held = False
        self.connected = False


class Proxy:
    def __init__(self, listen, target, control):
        self.target = target
        self.mode = "pass"
        self.delay_s = 0.0
        self.links = set()
        self.by_sock = {}
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(listen, backlog=256)
        self.listener.setblocking(False)
        self.control_path = control
        if os.path.exists(control):
            os.unlink(control)
        self.control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.control.bind(control)
        self.control.listen(16)
        self.running = True
        self.selector.register(self.listener, selectors.EVENT_READ, self.on_accept)
        self.selector.register(self.control, selectors.EVENT_READ, self.on_control)

    # -- connections

    def on_accept(self, _mask):
        try:
            client, _ = self.listener.accept()
        except BlockingIOError:
            return
        if self.mode == "refuse":
            reset(client)
            return
        client.setblocking(False)
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setblocking(False)
        for s in (client, server):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server.connect_ex(self.target)
        link = Link(client, server)
        self.links.add(link)
        for s in link.socks:
            self.by_sock[s] = link
        self.watch(link)

    def drop(self, link, close=None):
        """Forget the connection: by reset, or by close once both ends have said all."""
        self.links.discard(link)
        for s in link.socks:
            self.by_sock.pop(s, None)
            if s in self.selector.get_map():
                self.selector.unregister(s)
            (close or reset)(s)

    def is_held(self, link):
        return link.held or self.mode == "blackhole"

    def watch(self, link):
        """Register each socket for exactly what can be done with it now."""
        now = time.monotonic()
        for s in link.socks:
            mask = 0
            for h in link.halves:
                if h.src is s and not h.eof and h.size < QUEUE_MAX and link.connected:
                    mask |= selectors.EVENT_READ
                if h.dst is s and h.queue and h.queue[0][0] <= now:
                    mask |= selectors.EVENT_WRITE
            if not link.connected and s is link.socks[1]:
                mask |= selectors.EVENT_WRITE
            if self.is_held(link):
                mask = 0
            known = s in self.selector.get_map()
            if mask and known:
                self.selector.modify(s, mask, self.on_ready)
            elif mask:
                self.selector.register(s, mask, self.on_ready)
            elif known:
                self.selector.unregister(s)

    def on_ready(self, mask, sock):
        link = self.by_sock.get(sock)
        if link is None or self.is_held(link):
            return
        if not link.connected and sock is link.socks[1]:
            if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
                self.drop(link)
                return
            link.connected = True
        try:
            for h in link.halves:
                if h.src is sock and mask & selectors.EVENT_READ:
                    self.read(h)
                if h.dst is sock and mask & selectors.EVENT_WRITE:
                    self.write(h)
        except OSError:
            self.drop(link)
            return
        if all(h.shut for h in link.halves):
            self.drop(link, socket.socket.close)
            return
        self.watch(link)

    def read(self, h):
        try:
            data = h.src.recv(READ_SIZE)
        except BlockingIOError:
            return
        if not data:
            h.eof = True
        h.queue.append((time.monotonic() + self.delay_s, data))
        h.size += len(data)

    def write(self, h):
        while h.queue and h.queue[0][0] <= time.monotonic():
            due, data = h.queue[0]
            if not data:
                h.queue.popleft()
                h.dst.shutdown(socket.SHUT_WR)
                h.shut = True
                return
            try:
                sent = h.dst.send(data)
            except BlockingIOError:
                return
            h.size -= sent
            if sent < len(data):
                h.queue[0] = (due, data[sent:])
                return
            h.queue.popleft()

    # -- control

    def on_control(self, _mask):
        conn, _ = self.control.accept()
        with conn:
            conn.settimeout(5)
            try:
                words = conn.makefile("r").readline().split()
                conn.sendall((self.obey(words) + "\n").encode())
            except OSError:
                pass

    def obey(self, words):
        command = words[0] if words else ""
        if command == "stat":
            held = sum(self.is_held(link) for link in self.links)
            return f"ok mode={self.mode} links={len(self.links)} held={held}"
        if command == "quit":
            self.running = False
        elif words == ["blackhole", "old"]:
            for link in self.links:
                link.held = True
        elif command in ("cut", "refuse"):
            for link in list(self.links):
                self.drop(link)
            self.mode = "refuse" if command == "refuse" else "pass"
        elif command == "delay" and len(words) == 2 and words[1].isdigit():
            self.delay_s = int(words[1]) / 1000
            self.mode = "pass"
        elif command == "pass":
            self.mode, self.delay_s = "pass", 0.0
            for link in self.links:
                link.held = False
        elif words == ["blackhole"]:
            self.mode = "blackhole"
        else:
            return f"error unknown command: {' '.join(words)}"
        for link in self.links:
            self.watch(link)
        return "ok"

    # -- loop

    def run(self):
        while self.running:
            for key, mask in self.selector.select(self.wait_s()):
                if key.data == self.on_ready:
                    self.on_ready(mask, key.fileobj)
                else:
                    key.data(mask)
            if self.delay_s or self.mode == "pass":
                for link in [x for x in self.links if any(h.queue for h in x.halves)]:
                    self.watch(link)
        os.unlink(self.control_path)

    def wait_s(self):
        """Until the next held-back bytes are due."""
        dues = [h.queue[0][0] for x in self.links if not self.is_held(x) for h in x.halves if h.queue]
        now = time.monotonic()
        later = [d for d in dues if d > now]
        return min(later) - now if later else None


def reset(sock):
    """Close with RST, as a broken network path looks to the other end."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    sock.close()


def say(path, command):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(10)
        s.connect(path)
        s.sendall((command + "\n").encode())
        answer = s.makefile("r").readline().strip()
    print(answer)
    return 0 if answer.startswith("ok") else 1


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def main():
    p = argparse.ArgumentParser(description="A TCP proxy that can be told to misbehave.")
    p.add_argument("--listen", type=address)
    p.add_argument("--target", type=address)
    p.add_argument("--control", required=True)
    p.add_argument("--say")
    args = p.parse_args()
    if args.say is not None:
        try:
            return say(args.control, args.say)
        except OSError as e:
            print(f"faultproxy: {e}", file=sys.stderr)
            return 1
    if args.listen is None or args.target is None:
        p.error("--listen and --target are needed")
    Proxy(args.listen, args.target, args.control).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
