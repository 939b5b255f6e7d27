import { plainEvent } from '../../src/contract/event-body.ts';
import type { Batch, BatchEvent, PushEvent, Target } from '../../src/push.ts';

export function aPushEvent(with_: Partial<PushEvent> = {}): PushEvent {
  return {
    ...plainEvent('alerts', 'Deploy finished'),
    publicId: 'evt_01m7y7qp55ea087ggd7fpjkv29',
    workspace: 'acme',
    description: 'Version 2.4.1 is live.',
    level: 'success',
    eventType: 'deploy.finished',
    receivedAtMs: Date.UTC(2026, 10, 21, 9, 30, 0, 123),
    ...with_,
  };
}

export function aTarget(with_: Partial<Target> = {}): Target {
  const standing = { attempts: 0, wasAccepted: false, isQuarantined: false };
  return { event: 0, deviceId: 1, token: 'ab'.repeat(32), tokenKind: 'token', keys: null, ...standing, ...with_ };
}

export type BatchOptions = Partial<Batch & BatchEvent>;

/** The pushes of one event, unless `events` says otherwise. */
export function aBatch({
  targets = [aTarget()],
  event = aPushEvent(),
  ttlMs = 86_400_000,
  ...with_
}: BatchOptions = {}): Batch {
  return {
    id: '1',
    route: 'apns_production',
    lane: 'standard',
    events: [{ event, ttlMs }],
    targets,
    revoked: new Uint8Array(targets.length),
    ...with_,
  };
}
