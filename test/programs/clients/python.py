"""Posts, lists and reads with the client that openapi-generator makes for Python."""

import openapi_client
from openapi_client.exceptions import ApiException
from report import KEY, URL, report


def api(key):
    return openapi_client.IntegrationApi(openapi_client.ApiClient(openapi_client.Configuration(host=URL, access_token=key)))


def refusal(key, channel, title):
    try:
        api(key).post_event(openapi_client.PostedEvent(channel=channel, title=title))
    except ApiException as error:
        data = error.data
        if isinstance(data, openapi_client.NotFound):
            return [error.status, data.message]
        if isinstance(data, openapi_client.InvalidFields):
            return [error.status, data.errors["title"][0]]
        assert isinstance(data, openapi_client.Unauthenticated)
        return [error.status, data.code]


mine = api(KEY)
event = openapi_client.PostedEvent(channel="alerts", title="Done", idempotency_key="run-1842")
posted = mine.post_event(event).event
replayed = mine.post_event(event).event
valid = mine.post_event(openapi_client.PostedEvent(channel="alerts", title="Done", validate_only=True))
page = mine.list_events(limit=1)
read = mine.get_event(posted.public_id)
report(posted, replayed, valid, page, read, refusal)
