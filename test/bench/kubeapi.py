"""kubeapi.py - a Kubernetes API client for measurements: the standard library only.

    api = Api()                           # of KUBECONFIG, with a client certificate
    api.call("POST", path, object)
    with Watch(api, path) as watch:       # reads on a thread of its own
        watch.wait("name", lambda object: ..., 60)

A new connection costs some milliseconds, so an Api keeps one; it must not be used by two threads
at once. Times are seconds of time.monotonic().
"""
import base64
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time


class Api:
    def __init__(self):
        text = subprocess.run(["kubectl", "config", "view", "--raw", "-o", "json"], check=True,
                              stdout=subprocess.PIPE).stdout
        config = json.loads(text)
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"]
        self.host, self.port = cluster["server"].split("//")[1].split(":")
        ca = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=ca)
        with tempfile.NamedTemporaryFile() as pair:
            pair.write(base64.b64decode(user["client-certificate-data"]))
            pair.write(base64.b64decode(user["client-key-data"]))
            pair.flush()
            self.tls.load_cert_chain(pair.name)
        self.connection = self.connect()
        self.used_at = time.monotonic()

    def connect(self):
        connection = http.client.HTTPSConnection(self.host, int(self.port), context=self.tls,
                                                 timeout=600)
        connection.connect()
        return connection

    def call(self, method, path, body=None):
        """The answer's object; raises RuntimeError with the server's message."""
        text = None if body is None else json.dumps(body)
        if time.monotonic() - self.used_at > 30:  # the server closes what is silent for long
            self.connection.close()
            self.connection = self.connect()
        self.connection.request(method, path, text, {"Content-Type": "application/json",
                                                     "Accept": "application/json"})
        answer = self.connection.getresponse()
        raw = answer.read()
        self.used_at = time.monotonic()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {raw[:300].decode()}")
        return json.loads(raw)


class Watch:
    """The latest object of each name in a collection, kept current by a watch."""

    def __init__(self, api, path):
        listed = api.call("GET", path)
        self.objects = {o["metadata"]["name"]: o for o in listed["items"]}
        self.seen_at = {}  # name -> {condition: when it was first seen True}
        self.changed = threading.Condition()
        version = listed["metadata"]["resourceVersion"]
        self.path = f"{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}"
        self.connection = api.connect()
        self.connection.request("GET", self.path, None, {"Accept": "application/json"})
        self.answer = self.connection.getresponse()
        self.failure = None
        self.thread = threading.Thread(target=self.read, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        pass  # the thread ends with the process

    def read(self):
        try:
            while True:
                line = self.answer.readline()
                at = time.monotonic()
                if not line:
                    raise RuntimeError(f"watch ended: {self.path}")
                self.take(json.loads(line), at)
        except Exception as e:  # told to whoever waits
            with self.changed:
                self.failure = e
                self.changed.notify_all()

    def take(self, event, at):
        kind, o = event["type"], event["object"]
        if kind == "BOOKMARK":
            return
        if kind == "ERROR":
            raise RuntimeError(f"watch: {o}")
        name = o["metadata"]["name"]
        with self.changed:
            if kind == "DELETED":
                self.objects.pop(name, None)
            else:
                self.objects[name] = o
                for c in o.get("status", {}).get("conditions", []):
                    if c["status"] == "True":
                        self.seen_at.setdefault(name, {}).setdefault(c["type"], at)
            self.changed.notify_all()

    def ended_at(self, name, limit_s):
        """When the job was first seen Complete; raises TimeoutError, RuntimeError if it failed."""
        end = time.monotonic() + limit_s
        with self.changed:
            while True:
                seen = self.seen_at.get(name, {})
                if "Complete" in seen:
                    return seen["Complete"]
                if self.failure is not None:
                    raise self.failure
                status = self.objects.get(name, {}).get("status", {})
                if "Failed" in seen:
                    raise RuntimeError(f"{name} failed: {json.dumps(status)[:600]}")
                if time.monotonic() > end:
                    raise TimeoutError(f"{name} is not Complete after {limit_s:.0f} s: "
                                       f"{json.dumps(status)[:600]}")
                self.changed.wait(0.2)
