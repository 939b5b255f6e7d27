"""Prints what a client for Python got, as the test expects it."""

import json
import sys

URL, KEY = sys.argv[1:]


def report(posted, replayed, valid, page, read, refusal):
    got = {
        "posted": posted.public_id,
        "replayed": replayed.public_id,
        "devices": posted.target_device_count,
        "valid": valid.valid,
        "listed": page.events[0].title,
        "read": read.event.public_id,
        "pushes": read.deliveries.pending + read.deliveries.accepted,
        "refused": [
            refusal(KEY, "nowhere", "Done"),
            refusal(KEY, "alerts", " "),
            refusal("nobody", "alerts", "Done"),
        ],
    }
    print(json.dumps(got))
