"""Posts, retries, lists and reads with the client that openapi-python-client makes."""

from push_event_ingest_api_client import AuthenticatedClient
from push_event_ingest_api_client.api.integration import get_event, list_events, post_event
from push_event_ingest_api_client.models import InvalidFields, NotFound, PostedEvent, Unauthenticated
from report import KEY, URL, report


def api(key):
    return AuthenticatedClient(base_url=URL, token=key)


def refusal(key, channel, title):
    refused = post_event.sync_detailed(client=api(key), body=PostedEvent(channel=channel, title=title))
    status, body = int(refused.status_code), refused.parsed
    if isinstance(body, NotFound):
        return [status, body.message]
    if isinstance(body, InvalidFields):
        return [status, body.errors["title"][0]]
    assert isinstance(body, Unauthenticated)
    return [status, body.code.value]


mine = api(KEY)
event = PostedEvent(channel="alerts", title="Done", idempotency_key="run-1842")
posted = post_event.sync(client=mine, body=event).event
replayed = post_event.sync(client=mine, body=event).event
valid = post_event.sync(client=mine, body=PostedEvent(channel="alerts", title="Done", validate_only=True))
page = list_events.sync(client=mine, limit=1)
read = get_event.sync(posted.public_id, client=mine)
report(posted, replayed, valid, page, read, refusal)
