"""A client for the session routes, written from docs/apps.md alone, with nothing but Python's standard library.

    app.py https://push.example.com FH7G8-5Q5TH android <token>

Signs in, registers the device, subscribes it to every channel, and follows the stream. Takes commands, one a line:
`token <token>`, `test`, `read <public_id>`, `mark <workspace> <public_id>`, `pause`, `resume`, `sign-out`.
Prints what it learns, a JSON document a line.
"""
import http.client
import json
import sys
import threading
import time
import urllib.error
import urllib.request

SILENCE_S = 60  # Nothing comes for so long from a stream that is alive.
LONGEST_PAUSE_S = 60


def tell(**what):
    print(json.dumps(what), flush=True)


class App:
    def __init__(self, origin):
        self.api = origin + "/api/v1"
        self.token = None
        self.device = None
        self.up_to = "evt_00000000000000000000000000"  # Before all events.
        self.following = threading.Event()

    def open(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.api + path, data, headers, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self.token is not None:
            request.add_header("Authorization", "Bearer " + self.token)
        return urllib.request.urlopen(request, timeout=SILENCE_S)

    def ask(self, method, path, body=None):
        try:
            with self.open(method, path, body) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            if json.loads(error.read()).get("code") == "not_signed_in":
                self.token = None
            raise

    def sign_in(self, pairing_code):
        self.token = self.ask("POST", "/session", {"pairing_code": pairing_code})["session"]["token"]

    def register(self, platform, token):
        """At every launch, with the token that the system gives."""
        self.platform = platform
        self.device = self.ask("POST", "/devices", {"platform": platform, "token": token})["device"]["id"]

    def token_changed(self, token):
        """A device that is gone is registered as a new one."""
        try:
            self.ask("PATCH", f"/devices/{self.device}", {"token": token})
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            self.register(self.platform, token)

    def subscribe(self):
        """To all channels of the workspaces that this session may act in."""
        for workspace in self.ask("GET", "/session")["workspaces"]:
            place = f"/workspaces/{workspace['slug']}/channels"
            page = {"next": ""} if workspace["state"] == "active" else {"next": None}
            while page["next"] is not None:
                page = self.ask("GET", f"{place}?after={page['next']}" if page["next"] else place)
                for channel in page["channels"]:
                    path = f"/devices/{self.device}/subscriptions/{workspace['slug']}/{channel['slug']}"
                    self.ask("PUT", path)

    def read_news(self):
        """What was posted since the last call, the oldest first."""
        page = {"next": ""}
        while page["next"] is not None:
            page = self.ask("GET", f"/events?after={self.up_to}")
            self.up_to = page["up_to"]
            for event in page["events"]:
                tell(event=event)

    def follow(self):
        """The stream, over its ends, until the session has ended."""
        last_id, seen, name, retry_s, failures = "", "", "", 2, 0
        while self.following.wait() and self.token is not None:
            try:
                with self.open("GET", "/stream", **({"Last-Event-ID": last_id} if last_id else {})) as stream:
                    for line in stream:
                        field, _, value = line.decode().rstrip("\n").partition(": ")
                        if not self.following.is_set():
                            break
                        if field == "id":
                            seen, failures = value, 0
                        elif field == "retry":
                            retry_s = int(value) / 1000
                        elif field == "event":
                            name = value
                        elif field == "data" and name == "change":
                            self.changed(json.loads(value))
                            last_id = seen  # Not before: what fails until here is told again.
            except urllib.error.HTTPError as error:
                if error.code == 401:
                    self.token = None
            except (OSError, http.client.HTTPException):
                pass  # The server is away, or the connection broke.
            tell(stream="ended")
            if self.following.is_set() and self.token is not None:
                time.sleep(min(retry_s * 2**failures, LONGEST_PAUSE_S))
            failures += 1

    def changed(self, change):
        tell(change=change)
        if change["kind"] in ("inbox", "everything"):
            self.read_news()
        if change["kind"] in ("read", "everything"):
            tell(unread=self.ask("GET", "/events?limit=1")["unread"])

    def obey(self, command, *given):
        if command == "token":
            self.token_changed(*given)
        elif command == "test":
            tell(test=self.ask("POST", f"/devices/{self.device}/test")["event"]["public_id"])
        elif command == "read":
            tell(read=self.ask("GET", f"/events/{given[0]}")["event"])
            self.ask("PUT", "/inbox/read", {"events": [given[0]]})
        elif command == "mark":
            self.ask("PUT", "/inbox/read", {"workspace": given[0], "up_to": given[1]})
        elif command == "pause":  # The app is no longer on the screen.
            self.following.clear()
        elif command == "resume":
            self.following.set()
        elif command == "sign-out":  # The device first: it outlives the session.
            self.ask("DELETE", f"/devices/{self.device}")
            self.ask("DELETE", "/session")
            self.token = None
        tell(done=command)


origin, code, platform, token = sys.argv[1:]
app = App(origin)
app.sign_in(code)
app.register(platform, token)
app.subscribe()
app.following.set()
threading.Thread(target=app.follow, daemon=True).start()
for line in sys.stdin:
    app.obey(*line.split())
