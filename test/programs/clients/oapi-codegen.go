// Posts, retries, lists and reads with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"example.com/program/client"
)

var ctx = context.Background()

func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func api(key string) *client.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	return must(client.NewClientWithResponses(os.Args[1], client.WithRequestEditorFn(authorize)))
}

func post(key string, event client.PostedEvent, idempotencyKey *string) *client.PostEventResponse {
	params := &client.PostEventParams{IdempotencyKey: idempotencyKey}
	return must(api(key).PostEventWithResponse(ctx, params, event))
}

func refusal(key, channel, title string) []any {
	refused := post(key, client.PostedEvent{Channel: channel, Title: title}, nil)
	switch {
	case refused.JSON404 != nil:
		return []any{404, refused.JSON404.Message}
	case refused.JSON422 != nil:
		return []any{422, refused.JSON422.Errors["title"][0]}
	default:
		return []any{401, refused.JSON401.Code}
	}
}

func main() {
	key, once, yes, limit := os.Args[2], "run-1842", true, 1
	event := client.PostedEvent{Channel: "alerts", Title: "Done"}
	posted := post(key, event, &once).JSON202.Event
	replayed := post(key, event, &once).JSON200.Event
	valid := post(key, client.PostedEvent{Channel: "alerts", Title: "Done", ValidateOnly: &yes}, nil).JSON200
	page := must(api(key).ListEventsWithResponse(ctx, &client.ListEventsParams{Limit: &limit})).JSON200
	read := must(api(key).GetEventWithResponse(ctx, posted.PublicId)).JSON200
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"posted":   posted.PublicId,
		"replayed": replayed.PublicId,
		"devices":  posted.TargetDeviceCount,
		"valid":    valid.Valid,
		"listed":   page.Events[0].Title,
		"read":     read.Event.PublicId,
		"pushes":   read.Deliveries.Pending + read.Deliveries.Accepted,
		"refused": []any{
			refusal(key, "nowhere", "Done"), refusal(key, "alerts", " "), refusal("nobody", "alerts", "Done"),
		},
	})
}
