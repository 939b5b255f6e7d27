"""Posts, lists and reads with the client that openapi-generator makes for Python."""

import json
import sys

import pushctl
from pushctl.exceptions import ApiException

URL, KEY = sys.argv[1:]


def api(key):
    return pushctl.IntegrationApi(pushctl.ApiClient(pushctl.Configuration(host=URL, access_token=key)))


def refusal(key, channel, title):
    try:
        api(key).post_event(pushctl.PostedEvent(channel=channel, title=title))
    except ApiException as error:
        data = error.data
        if isinstance(data, pushctl.NotFound):
            return [error.status, data.message]
        if isinstance(data, pushctl.InvalidFields):
            return [error.status, data.errors["title"][0]]
        assert isinstance(data, pushctl.Unauthenticated)
        return [error.status, data.code]


mine = api(KEY)
posted = mine.post_event(pushctl.PostedEvent(channel="alerts", title="Done")).event
valid = mine.post_event(pushctl.PostedEvent(channel="alerts", title="Done", validate_only=True)).actual_instance
page = mine.list_events(limit=1)
read = mine.get_event(posted.public_id).actual_instance
print(
    json.dumps(
        {
            "posted": posted.public_id,
            "devices": posted.target_device_count,
            "valid": valid.valid,
            "listed": page.events[0].actual_instance.title,
            "read": read.event.public_id,
            "pushes": read.deliveries.pending + read.deliveries.accepted,
            "refused": [
                refusal(KEY, "nowhere", "Done"),
                refusal(KEY, "alerts", " "),
                refusal("nobody", "alerts", "Done"),
            ],
        }
    )
)
