// Posts, lists and reads with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/pushctl"
)

type said = map[string]any

func must[T any](answer T, response *http.Response, err error) T {
	if err != nil {
		panic(fmt.Sprint(err, response))
	}
	return answer
}

func main() {
	configuration := pushctl.NewConfiguration()
	configuration.Servers = pushctl.ServerConfigurations{{URL: os.Args[1]}}
	api := pushctl.NewAPIClient(configuration).IntegrationAPI
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), pushctl.ContextAccessToken, key)
	}
	me := as(os.Args[2])
	post := func(me context.Context, event *pushctl.PostedEvent) (*pushctl.EventThatIsNotQueued, *http.Response, error) {
		return api.PostEvent(me).PostedEvent(*event).Execute()
	}
	refusal := func(me context.Context, channel string, title string) any {
		_, response, err := post(me, pushctl.NewPostedEvent(channel, title))
		switch model := err.(*pushctl.GenericOpenAPIError).Model().(type) {
		case pushctl.NotFound:
			return []any{response.StatusCode, model.GetMessage()}
		case pushctl.InvalidFields:
			return []any{response.StatusCode, model.GetErrors()["title"][0]}
		case pushctl.Unauthenticated:
			return []any{response.StatusCode, model.GetCode()}
		default:
			panic(err)
		}
	}

	posted := must(post(me, pushctl.NewPostedEvent("alerts", "Done"))).EventAnswer.Event
	checked := pushctl.NewPostedEvent("alerts", "Done")
	checked.SetValidateOnly(true)
	valid := must(post(me, checked)).ValidEvent
	page := must(api.ListEvents(me).Limit(1).Execute())
	read := must(api.GetEvent(me, posted.PublicId).Execute()).EventProgress

	json.NewEncoder(os.Stdout).Encode(said{
		"posted":  posted.PublicId,
		"devices": posted.TargetDeviceCount,
		"valid":   valid.Valid,
		"listed":  page.Events[0].EventOfAList.Title,
		"read":    read.Event.PublicId,
		"pushes":  read.Deliveries.Pending + read.Deliveries.Accepted,
		"refused": []any{
			refusal(me, "nowhere", "Done"), refusal(me, "alerts", " "), refusal(as("nobody"), "alerts", "Done"),
		},
	})
}
