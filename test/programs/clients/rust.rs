//! Posts, lists and reads with the client that openapi-generator makes for Rust.

use openapi::apis::configuration::Configuration;
use openapi::apis::integration_api::{get_event, list_events, post_event, PostEventError};
use openapi::apis::Error;
use openapi::models::PostedEvent;
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
    let event = || PostedEvent::new("alerts".into(), "Done".into());
    let posted = post_event(&mine, event(), Some("run-1842")).await.unwrap().event.unwrap();
    let replayed = post_event(&mine, event(), Some("run-1842")).await.unwrap().event.unwrap();
    let checked = PostedEvent { validate_only: Some(true), ..event() };
    let valid = post_event(&mine, checked, None).await.unwrap();
    let page = list_events(&mine, None, None, None, None, None, None, None, None, None, None, Some(1)).await.unwrap();
    let read = get_event(&mine, &posted.public_id).await.unwrap();
    let deliveries = read.deliveries.unwrap();
    let said = json!({
        "posted": posted.public_id,
        "replayed": replayed.public_id,
        "devices": posted.target_device_count,
        "valid": valid.valid,
        "listed": page.events[0].title,
        "read": read.event.public_id,
        "pushes": deliveries.pending + deliveries.accepted,
        "refused": [
            refusal(&mine, "nowhere", "Done").await,
            refusal(&mine, "alerts", " ").await,
            refusal(&api(&args[1], "nobody"), "alerts", "Done").await,
        ],
    });
    println!("{said}");
}
