// Posts, retries, lists and reads with the client that ogen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example.com/program/api"

	"github.com/ogen-go/ogen/ogenerrors"
)

var ctx = context.Background()

type key string

func (k key) IntegratorKey(context.Context, api.OperationName) (api.IntegratorKey, error) {
	return api.IntegratorKey{Token: string(k)}, nil
}

func (key) SessionToken(context.Context, api.OperationName) (api.SessionToken, error) {
	return api.SessionToken{}, ogenerrors.ErrSkipClientSecurity
}

func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func post(k key, event api.PostedEvent) api.PostEventRes {
	return must(must(api.NewClient(os.Args[1], k)).PostEvent(ctx, &event, api.PostEventParams{}))
}

func refusal(k key, channel, title string) []any {
	switch body := post(k, api.PostedEvent{Channel: channel, Title: title}).(type) {
	case *api.NotFoundHeaders:
		return []any{404, body.Response.Message}
	case *api.InvalidFieldsHeaders:
		return []any{422, body.Response.Errors["title"][0]}
	case *api.UnauthenticatedFailureHeaders:
		return []any{401, body.Response.Code}
	default:
		panic(fmt.Sprintf("%T", body))
	}
}

func main() {
	mine := key(os.Args[2])
	event := api.PostedEvent{Channel: "alerts", Title: "Done", IdempotencyKey: api.NewOptString("run-1842")}
	posted := post(mine, event).(*api.PostEventAcceptedHeaders).Response.Event
	replayed := post(mine, event).(*api.EventThatIsNotQueuedHeaders).Response.Event.Value
	checked := api.PostedEvent{Channel: "alerts", Title: "Done", ValidateOnly: api.NewOptBool(true)}
	valid := post(mine, checked).(*api.EventThatIsNotQueuedHeaders).Response
	client := must(api.NewClient(os.Args[1], mine))
	page := must(client.ListEvents(ctx, api.ListEventsParams{Limit: api.NewOptInt(1)})).(*api.PageOfEventsHeaders).Response
	read := must(client.GetEvent(ctx, api.GetEventParams{PublicID: posted.PublicID})).(*api.EventViewHeaders).Response
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"posted":   posted.PublicID,
		"replayed": replayed.PublicID,
		"devices":  posted.TargetDeviceCount,
		"valid":    valid.Valid.Value,
		"listed":   page.Events[0].Title,
		"read":     read.Event.PublicID,
		"pushes":   read.Deliveries.Value.Pending + read.Deliveries.Value.Accepted,
		"refused": []any{
			refusal(mine, "nowhere", "Done"), refusal(mine, "alerts", " "), refusal("nobody", "alerts", "Done"),
		},
	})
}
