import * as assert from 'uvu/assert';
import type { Alert } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING } from '../../support/alerts.ts';
import { ADA, BOB } from '../../support/cast.ts';
import type { Engine } from '../../support/engines.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS, type World } from '../../support/world.ts';

/** More than one call has follow. */
const MANY = 600;

async function namesakes({ engine }: { readonly engine: Engine }): Promise<World> {
  const world = await anInsistingWorld({ engine });
  await world.join(BOB);
  for (const email of [ADA, BOB]) granted(await world.calls.renameUser({ email, name: 'Alex' }));
  return world;
}

const { it, run } = conformance('alerts: people of one name', namesakes);

const idsOf = async (world: World) => ({ ada: `usr_${await idOf(world)}`, bob: `usr_${await idOf(world, BOB)}` });

async function shown(world: World, publicId: string, wallMs = NOW_MS): Promise<Alert> {
  return granted(await world.calls.showAlert({ publicId, wallMs })).alert;
}

it('each act on an alert names its person by an id, even if others have the name', async (world) => {
  const publicId = await world.post(INSISTING);
  const { ada, bob } = await idsOf(world);
  granted(await world.calls.acknowledgeAlert({ publicId, as: ADA }));
  granted(await world.calls.acknowledgeAlert({ publicId, forS: 600, as: BOB }));
  const snoozed = await shown(world, publicId);
  assert.equal([snoozed.acknowledged_by, snoozed.snoozed_by], ['Alex', 'Alex']);
  assert.equal(snoozed.person_ids, { acknowledged_by: ada, snoozed_by: bob });
  granted(await world.calls.resolveAlert({ publicId, as: ADA }));
  assert.equal((await shown(world, publicId)).person_ids, { acknowledged_by: ada, ended_by: ada });
  granted(await world.calls.reopenAlert({ publicId, as: ADA }));
  const restored = { acknowledged_by: ada, snoozed_by: bob, reopened_by: ada };
  assert.equal((await shown(world, publicId)).person_ids, restored, 'Bob has snoozed it again');
  granted(await world.calls.reopenAlert({ publicId, as: BOB, wallMs: NOW_MS + 120_000 }));
  assert.equal((await shown(world, publicId, NOW_MS + 120_000)).person_ids, { reopened_by: bob });
  granted(await world.calls.acknowledgeAlert({ publicId }));
  assert.equal((await shown(world, publicId)).person_ids, { reopened_by: bob }, 'an operator is no person');
});

it('acts on many alerts name their person before and after the rows follow', async (world) => {
  const { ada, bob } = await idsOf(world);
  const first = await world.post({ ...INSISTING, collapseKey: 'first' });
  await world.together(
    'acceptEvent',
    Array.from({ length: MANY - 2 }, () => world.anEvent({ ...INSISTING, collapseKey: null })),
  );
  const last = await world.post({ ...INSISTING, collapseKey: 'last' });
  const settled = async () => {
    while (!(await world.calls.pruneStep({ wallMs: NOW_MS })).done);
  };
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, forS: 600, as: BOB }));
  const taken = { acknowledged_by: bob, snoozed_by: bob };
  assert.equal((await shown(world, first)).person_ids, taken);
  granted(await world.calls.reopenAlert({ publicId: last, all: true, as: BOB }));
  assert.equal((await shown(world, last)).person_ids, { reopened_by: bob });
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: ADA }));
  await world.post({ ...INSISTING, collapseKey: 'first' });
  assert.equal((await shown(world, first)).person_ids.acknowledged_by, ada, 'an event has joined');
  await settled();
  assert.equal((await shown(world, first)).person_ids.acknowledged_by, ada);
});

run();
