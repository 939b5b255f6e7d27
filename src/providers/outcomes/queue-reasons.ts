/** Why a push ended without another try, or is held unsent, in words that no provider said. */
export interface QueueReason {
  readonly outcome: { readonly kind: 'expired' | 'withdrawn' | 'unregistered' | 'held' };
  readonly means: string;
  readonly remedy: string;
}

/** The reason of pushes to devices of an app that is not in the configuration. */
export const APP_NOT_CONFIGURED = 'app_not_configured';

const NOTHING = 'Nothing to do.';

export const QUEUE_REASONS: Readonly<Record<string, QueueReason>> = {
  ttl: {
    outcome: { kind: 'expired' },
    means: 'It could not be sent within the time to live of its event ([delivery] ttl), and is not sent late.',
    remedy: 'Look at its earlier tries, or for a pause of its route in the log, to see what held it up.',
  },
  gone: withdrawn(
    'The device was unsubscribed or removed, or became inactive, between the acceptance of the event and its push.',
    'Nothing to do. `pushctl event show <id> --email <email>` says what is known of the devices of one member.',
  ),
  device_removed: withdrawn(
    'The device was removed, or moved to another user, while its push waited for its turn or for another try.',
  ),
  unsubscribed: withdrawn(
    'The device left the channel, or its user the workspace, while its push waited for its turn or for another try. Who comes back, also from the dead, gets nothing of what was posted before.',
  ),
  muted: withdrawn(
    'The person of the device has muted the channel, or events of this level, on it.',
    'Nothing to do. `pushctl device list` shows what is muted.',
  ),
  own_act: withdrawn('The event says what the person of the device did themselves, so their devices are left out.'),
  inactive: {
    outcome: { kind: 'unregistered' },
    means: 'The device was found dead by another push while this one waited.',
    remedy: 'Nothing to do: the device gets pushes again once its app registers again.',
  },
  cancelled: withdrawn(
    'An operator took its event back (`pushctl event cancel`) before it was sent.',
    'Nothing to do. `pushctl event resend --all` posts the event once more.',
  ),
  quarantine: {
    outcome: { kind: 'held' },
    means:
      'An earlier push to the device was refused in words that may mean a dead device, or a wrong environment, topic or project of ours.',
    remedy:
      'It is settled once a push to another device is accepted. Until then check the configuration with `pushctl doctor`, or if it is right, end such devices with `pushctl device prune`.',
  },
  [APP_NOT_CONFIGURED]: {
    outcome: { kind: 'held' },
    means:
      'The device is registered for an app that is neither apns.topic nor in apns.topics, so nothing is sent to it.',
    remedy:
      'Add the bundle ID that the device names (`pushctl device list`) to apns.topics and restart: what waits goes out within minutes. If the app is retired, end its devices with `pushctl device prune`.',
  },
  restored: withdrawn(
    'It waited when the backup was made that was restored since, and most of what waited then has gone out.',
    'To send what waited instead, restore with `pushctl restore --resend`.',
  ),
};

function withdrawn(means: string, remedy = NOTHING): QueueReason {
  return { outcome: { kind: 'withdrawn' }, means, remedy };
}
