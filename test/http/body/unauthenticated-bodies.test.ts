import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnauthenticatedBodies } from '../../../src/http/body/unauthenticated-bodies.ts';
import { ClientAddresses } from '../../../src/http/client-address.ts';
import type { ApiError } from '../../../src/http/errors.ts';
import type { Context } from '../../../src/http/request-state.ts';

/** A request whose head alone has come. */
function unfinished(): Context {
  const req = { complete: false, headers: {}, socket: { remoteAddress: '192.0.2.1' } };
  return { req, res: { shouldKeepAlive: true } } as unknown as Context;
}

test('a body that does not come in time is given up, closes its connection, and leaves its place', async () => {
  const bodies = new UnauthenticatedBodies(new ClientAddresses([]), 10);
  const never = bodies.reader(() => new Promise(() => {}));
  for (let round = 0; round < 2; round += 1) {
    const contexts = Array.from({ length: 16 }, unfinished);
    const endings = await Promise.allSettled(contexts.map(never));
    assert.equal(
      endings.map((ending) => ending.status === 'rejected' && (ending.reason as ApiError).code),
      contexts.map(() => 'request_timeout'),
    );
    assert.not(contexts.some(({ res }) => res.shouldKeepAlive));
  }
});

test.run();
