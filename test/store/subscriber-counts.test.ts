import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, type SqliteWorld } from '../support/world.ts';

const USERS = [ADA, BOB, EVE];
const CHANNELS = ['alerts', 'builds', 'billing'];

test('the counters equal a recount after any series of operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations(), { minLength: 1, maxLength: 40 }), async (series) => {
      const world = await aWorld();
      for (const slug of CHANNELS.slice(1)) granted(await world.calls.createChannel({ workspace: 'acme', slug }));
      for (const operation of series) {
        await operation(world);
        assert.equal(counted(world), recounted(world));
      }
    }),
    { numRuns: 40 },
  );
});

test.run();

type Operation = (world: SqliteWorld) => unknown;

function operations(): fc.Arbitrary<Operation> {
  const user = fc.constantFrom(...USERS);
  const number = fc.integer({ min: 1, max: 5 });
  const device = fc.record({
    token: number.map(tokenOf),
    environment: fc.constantFrom('production' as const, 'sandbox' as const),
    subscribe: fc.subarray(CHANNELS),
  });
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(user, device).map(([email, fields]) => register(email, fields)) },
    { weight: 3, arbitrary: number.map(deactivate) },
    { weight: 1, arbitrary: number.map(removeDevice) },
    {
      weight: 1,
      arbitrary: user.map(
        (email): Operation =>
          ({ calls }) =>
            calls.removeMember({ workspace: 'acme', email }),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...CHANNELS).map(recreateChannel) },
  );
}

function register(email: string, fields: Partial<ReturnType<typeof aDevice>>): Operation {
  return async ({ calls }) => {
    await calls.addMember({ workspace: 'acme', email, role: 'member' });
    granted(await calls.addDevice({ workspace: 'acme', email, ...aDevice(fields) }));
  };
}

/** Ends a device like a provider's answer about a dead token. */
function deactivate(n: number): Operation {
  return ({ db }) => {
    db.prepare(`UPDATE device SET status = 'inactive' WHERE token = ?`).run(tokenOf(n));
    db.prepare('UPDATE subscription SET active = 0 WHERE device_id = (SELECT id FROM device WHERE token = ?)').run(
      tokenOf(n),
    );
  };
}

function removeDevice(n: number): Operation {
  return async ({ db, calls }) => {
    const id = db.prepare<[string], string>('SELECT public_id FROM device WHERE token = ?').pluck().get(tokenOf(n));
    if (id !== undefined) granted(await calls.removeDevice({ id }));
  };
}

function recreateChannel(slug: string): Operation {
  return async ({ calls }) => {
    granted(await calls.deleteChannel({ workspace: 'acme', slug }));
    granted(await calls.createChannel({ workspace: 'acme', slug }));
  };
}

function counted({ db }: SqliteWorld): unknown[] {
  return db.prepare('SELECT channel_id, route, devices FROM audience WHERE devices <> 0 ORDER BY 1, 2').all();
}

function recounted({ db }: SqliteWorld): unknown[] {
  const truth = `
    SELECT subscription.channel_id, device.route, count(*) AS devices
    FROM subscription JOIN device ON device.id = subscription.device_id
    WHERE device.status = 'active' GROUP BY 1, 2 ORDER BY 1, 2
  `;
  return db.prepare(truth).all();
}
