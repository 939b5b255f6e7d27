import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, IMPATIENT, survive, withServer } from '../support/faults.ts';
import { settled } from '../support/server.ts';

const faults = suite('faults of connections and answers');

const BROKEN_CONNECTIONS: readonly Fault[] = [
  { name: 'closed without an answer', answer: { kind: 'hang_up' } },
  { name: 'the request reset', answer: { kind: 'reset' } },
  { name: 'cut in the middle of the answer', answer: { kind: 'cut' } },
  { name: 'a single GOAWAY', answer: { kind: 'goaway', twice: false } },
  { name: 'a graceful GOAWAY in two steps', answer: { kind: 'goaway', twice: true } },
];
const SILENCE: readonly Fault[] = [
  { name: 'a request that is never answered', answer: { kind: 'silent' } },
  { name: 'an answer that drips', answer: { kind: 'drip', everyMs: 250 } },
  { name: 'TCP that connects and then is silent', outage: 'black_hole' },
];
const STRANGE_ANSWERS: readonly Fault[] = [
  { name: 'garbage', answer: { kind: 'garbage' } },
  { name: 'an empty 500', answer: { kind: 'empty' } },
  { name: 'the HTML page of a proxy', answer: { kind: 'html' } },
];
const DOWN: readonly Fault[] = [{ name: 'refused connections', outage: 'refused' }];

for (const [endpoint, other] of [
  ['apns_production', 'fcm'],
  ['fcm', 'webpush_apple'],
  ['webpush_apple', 'apns_production'],
] as const) {
  for (const [what, kinds] of Object.entries({ BROKEN_CONNECTIONS, SILENCE, STRANGE_ANSWERS, DOWN })) {
    const described = what.toLowerCase().replace('_', ' ');
    faults(`${endpoint}, ${described}: every device gets its push, and ${other} is not held up`, () =>
      withServer(async (server) => {
        const [struck, others] = [await server.addDevices(endpoint, 4), await server.addDevices(other, 2)];
        // An origin is known as a browser's push service only after it has accepted a push.
        await settled(server.team, (await server.team.post()).body.event.public_id);
        for (const fault of kinds) await survive(server, endpoint, fault, struck, others);
        const devices = await server.team.store.listDevices({ workspace: 'acme', limit: 100 });
        assert.ok('devices' in devices && devices.devices.every(({ status }) => status === 'active'));
      }, IMPATIENT),
    );
  }
}

faults.run();
