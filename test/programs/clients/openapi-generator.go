// Posts, lists and reads with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

type said = map[string]any

func must[T any](answer T, response *http.Response, err error) T {
	if err != nil {
		panic(fmt.Sprint(err, response))
	}
	return answer
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	api := openapi.NewAPIClient(configuration).IntegrationAPI
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), openapi.ContextAccessToken, key)
	}
	me := as(os.Args[2])
	post := func(me context.Context, event *openapi.PostedEvent) (*openapi.EventThatIsNotQueued, *http.Response, error) {
		return api.PostEvent(me).PostedEvent(*event).Execute()
	}
	refusal := func(me context.Context, channel string, title string) any {
		_, response, err := post(me, openapi.NewPostedEvent(channel, title))
		switch model := err.(*openapi.GenericOpenAPIError).Model().(type) {
		case openapi.NotFound:
			return []any{response.StatusCode, model.GetMessage()}
		case openapi.InvalidFields:
			return []any{response.StatusCode, model.GetErrors()["title"][0]}
		case openapi.Unauthenticated:
			return []any{response.StatusCode, model.GetCode()}
		default:
			panic(err)
		}
	}

	event := openapi.NewPostedEvent("alerts", "Done")
	event.SetIdempotencyKey("run-1842")
	posted := must(post(me, event)).Event
	replayed := must(post(me, event)).Event
	checked := openapi.NewPostedEvent("alerts", "Done")
	checked.SetValidateOnly(true)
	valid := must(post(me, checked))
	page := must(api.ListEvents(me).Limit(1).Execute())
	read := must(api.GetEvent(me, posted.PublicId).Execute())

	json.NewEncoder(os.Stdout).Encode(said{
		"posted":   posted.PublicId,
		"replayed": replayed.PublicId,
		"devices":  posted.TargetDeviceCount,
		"valid":    valid.GetValid(),
		"listed":   page.Events[0].Title,
		"read":     read.Event.PublicId,
		"pushes":   read.Deliveries.Pending + read.Deliveries.Accepted,
		"refused": []any{
			refusal(me, "nowhere", "Done"), refusal(me, "alerts", " "), refusal(as("nobody"), "alerts", "Done"),
		},
	})
}
