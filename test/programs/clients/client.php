<?php
// Posts, retries, lists and reads with the client that openapi-generator makes for PHP.
use OpenAPI\Client\Api\IntegrationApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\PostedEvent;

require 'GuzzleHttp/autoload.php';
spl_autoload_register(fn ($name) => include __DIR__ . '/client/lib/' . strtr(substr($name, 15), '\\', '/') . '.php');

[, $url, $key] = $argv;

function api(string $key): IntegrationApi
{
    $configuration = (new Configuration())->setHost($GLOBALS['url'])->setAccessToken($key);
    return new IntegrationApi(null, $configuration);
}

function refusal(string $key, string $channel, string $title): array
{
    try {
        throw new Error((string) api($key)->postEvent(new PostedEvent(['channel' => $channel, 'title' => $title])));
    } catch (ApiException $refused) {
        $body = $refused->getResponseObject();
        $text = match ($refused->getCode()) {
            404 => $body->getMessage(),
            422 => $body->getErrors()['title'][0],
            default => $body->getCode(),
        };
        return [$refused->getCode(), $text];
    }
}

$mine = api($key);
$event = ['channel' => 'alerts', 'title' => 'Done'];
$posted = $mine->postEvent(new PostedEvent($event), 'run-1842')->getEvent();
$replayed = $mine->postEvent(new PostedEvent($event), 'run-1842')->getEvent();
$valid = $mine->postEvent(new PostedEvent($event + ['validate_only' => true]));
$page = $mine->listEvents(limit: 1);
$read = $mine->getEvent($posted->getPublicId());
echo json_encode([
    'posted' => $posted->getPublicId(),
    'replayed' => $replayed->getPublicId(),
    'devices' => $posted->getTargetDeviceCount(),
    'valid' => $valid->getValid(),
    'listed' => $page->getEvents()[0]->getTitle(),
    'read' => $read->getEvent()->getPublicId(),
    'pushes' => $read->getDeliveries()->getPending() + $read->getDeliveries()->getAccepted(),
    'refused' => [
        refusal($key, 'nowhere', 'Done'),
        refusal($key, 'alerts', ' '),
        refusal('nobody', 'alerts', 'Done'),
    ],
]);
