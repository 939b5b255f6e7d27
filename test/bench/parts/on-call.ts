import { setTimeout as pause } from 'node:timers/promises';
import { ADA, BOB } from '../../support/cast.ts';
import { granted } from '../../support/refusals.ts';
import { device, ON_CALL_CHANNELS } from '../fixture.ts';
import { type Line, ratio } from '../lines.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';

const EVENTS = 10_000;
const SLICES = 5;
/** The record of the sent pushes is complete by then. */
const SETTLED_MS = 500;

/** Measures events that open an alert, for the person on call and for another, in channels with and without a rota. */
export async function onCall(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const dataDir = await site.dataFolder('empty');
  const { process, url } = await site.startServerIn(dataDir, { sends: true }, sandbox);
  const store = await site.storeIn(dataDir);
  granted(await store.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  granted(await store.createRota({ workspace: 'acme', slug: 'turns', members: [ADA, BOB] }));
  for (const slug of ON_CALL_CHANNELS) {
    granted(await store.createChannel({ workspace: 'acme', slug }));
    const on_call = { rota: 'turns', widen_after: 3_600 };
    const insist = { repeat: 3_600, until: 86_400, ...(slug === 'by-rota' && { on_call }) };
    granted(await store.updateChannel({ workspace: 'acme', slug, insist }));
  }
  for (const email of [ADA, BOB])
    granted(await store.addDevice({ workspace: 'acme', email, ...device(), subscribe: ON_CALL_CHANNELS }));
  await store.close();

  const loads = await Promise.all(
    ON_CALL_CHANNELS.map((channel) => site.openLoad(url, channel, 64, { urgency: 'time_sensitive' })),
  );
  const cpuOf = async (side: number): Promise<number> => {
    await sandbox.ask('mark', undefined);
    const before = await process.usage();
    await loads[side]?.ask('postMany', EVENTS);
    await sandbox.ask('reach', 2 * EVENTS);
    await pause(SETTLED_MS);
    return (((await process.usage()).cpuMs - before.cpuMs) * 1000) / EVENTS;
  };
  const slices = await alternate({ everyone: () => cpuOf(0), rota: () => cpuOf(1) }, SLICES);
  return [
    ratio(
      `CPU of the whole server for an alert of a channel with a rota, ${EVENTS} events, request to record`,
      'µs an event',
      slices.rota,
      ['a channel without one', slices.everyone],
      { want: { atMost: 1.1 } },
    ),
  ];
}
