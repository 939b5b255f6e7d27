//! Posts, lists and reads with the client that openapi-generator makes for Rust.

use pushctl::apis::configuration::Configuration;
use pushctl::apis::integration_api::{get_event, list_events, post_event, PostEventError};
use pushctl::apis::Error;
use pushctl::models::{EventThatIsNotQueued, EventView, EventsEntry, PostedEvent};
use serde_json::{json, to_value, Value};

fn api(url: &str, key: &str) -> Configuration {
    Configuration { base_path: url.into(), bearer_access_token: Some(key.into()), ..Default::default() }
}

async fn refusal(api: &Configuration, channel: &str, title: &str) -> Value {
    let Err(Error::ResponseError(refused)) = post_event(api, PostedEvent::new(channel.into(), title.into()), None).await
    else {
        panic!("it was not refused")
    };
    let text = match refused.entity {
        Some(PostEventError::Status404(body)) => json!(body.message),
        Some(PostEventError::Status422(body)) => json!(body.errors["title"][0]),
        Some(PostEventError::Status401(body)) => to_value(body.code).unwrap(),
        other => panic!("{other:?}"),
    };
    json!([refused.status.as_u16(), text])
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mine = api(&args[1], &args[2]);
    let posted = match post_event(&mine, PostedEvent::new("alerts".into(), "Done".into()), None).await.unwrap() {
        EventThatIsNotQueued::EventAnswer(answer) => answer.event,
        other => panic!("{other:?}"),
    };
    let checked = PostedEvent { validate_only: Some(true), ..PostedEvent::new("alerts".into(), "Done".into()) };
    let valid = match post_event(&mine, checked, None).await.unwrap() {
        EventThatIsNotQueued::ValidEvent(valid) => valid,
        other => panic!("{other:?}"),
    };
    let page = list_events(&mine, None, None, None, None, None, None, None, None, None, None, Some(1)).await.unwrap();
    let listed = match &page.events[0] {
        EventsEntry::EventOfAList(event) => event.title.clone(),
        other => panic!("{other:?}"),
    };
    let read = match get_event(&mine, &posted.public_id).await.unwrap() {
        EventView::EventProgress(read) => read,
        other => panic!("{other:?}"),
    };
    let said = json!({
        "posted": posted.public_id,
        "devices": posted.target_device_count,
        "valid": valid.valid,
        "listed": listed,
        "read": read.event.public_id,
        "pushes": read.deliveries.pending + read.deliveries.accepted,
        "refused": [
            refusal(&mine, "nowhere", "Done").await,
            refusal(&mine, "alerts", " ").await,
            refusal(&api(&args[1], "nobody"), "alerts", "Done").await,
        ],
    });
    println!("{said}");
}
