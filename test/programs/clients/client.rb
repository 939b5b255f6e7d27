# Posts, retries, lists and reads with the client that openapi-generator makes for Ruby.
require 'json'
require 'uri'
require 'openapi_client'

URL, KEY = ARGV

def api(key)
  at = URI(URL)
  configuration = OpenapiClient::Configuration.new
  configuration.scheme, configuration.host, configuration.base_path = at.scheme, "#{at.host}:#{at.port}", at.path
  configuration.server_index = nil
  configuration.access_token = key
  OpenapiClient::IntegrationApi.new(OpenapiClient::ApiClient.new(configuration))
end

def event(channel, title, **more)
  OpenapiClient::PostedEvent.new(channel: channel, title: title, **more)
end

def refusal(key, channel, title)
  raise api(key).post_event(event(channel, title)).to_s
rescue OpenapiClient::ApiError => refused
  body = JSON.parse(refused.response_body, symbolize_names: true)
  text =
    case refused.code
    when 404 then OpenapiClient::NotFound.build_from_hash(body).message
    when 422 then OpenapiClient::InvalidFields.build_from_hash(body).errors.values[0][0]
    else OpenapiClient::Unauthenticated.build_from_hash(body).code
    end
  [refused.code, text]
end

mine = api(KEY)
posted = mine.post_event(event('alerts', 'Done', idempotency_key: 'run-1842')).event
replayed = mine.post_event(event('alerts', 'Done', idempotency_key: 'run-1842')).event
valid = mine.post_event(event('alerts', 'Done', validate_only: true))
page = mine.list_events(limit: 1)
read = mine.get_event(posted.public_id)
puts JSON.generate(
  posted: posted.public_id,
  replayed: replayed.public_id,
  devices: posted.target_device_count,
  valid: valid.valid,
  listed: page.events[0].title,
  read: read.event.public_id,
  pushes: read.deliveries.pending + read.deliveries.accepted,
  refused: [refusal(KEY, 'nowhere', 'Done'), refusal(KEY, 'alerts', ' '), refusal('nobody', 'alerts', 'Done')]
)
