import { setTimeout as wait } from 'node:timers/promises';
import { DEVICES } from '../fixture.ts';
import { type Line, line } from '../lines.ts';
import { sharedMs } from '../processes/handlers.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';

/** Events that wait, each for all iOS devices. */
const EVENTS = 3;
const WAITING = EVENTS * DEVICES.apns;
const OUTAGE_MS = 20_000;
/** Each takes half a minute. */
const SLICES = 5;
/** Beyond their time at full speed. */
const MOST_S = 3;

/** From the moment when the provider is back until nothing waits any more, beside the same pushes at full speed. */
export async function outage(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const { url } = await site.startServer({ database: 'devices', threads: 2, sends: true }, sandbox);
  const load = await site.openLoad(url, 'apns', 1);
  const post = async (): Promise<void> => {
    for (let n = 0; n < EVENTS; n += 1) await load.ask('postOne', undefined);
  };
  const slices = await alternate({ fullSpeed, drained }, SLICES);
  const late = slices.drained.map((tookS, slice) => tookS - (slices.fullSpeed[slice] ?? 0));
  const what = `an outage of ${OUTAGE_MS / 1000} s is over: until ${WAITING} waiting pushes are out, beyond their time at full speed`;
  const raw = { 'from the end of the outage, s': slices.drained, 'at full speed, s': slices.fullSpeed };
  return [line(what, 's', late, { want: { atMost: MOST_S }, raw })];

  async function fullSpeed(): Promise<number> {
    await sandbox.ask('mark', undefined);
    await post();
    const { firstMs, lastMs } = await sandbox.ask('reach', WAITING);
    return (lastMs - firstMs) / 1000;
  }

  async function drained(): Promise<number> {
    await sandbox.ask('apnsOutage', 'refused');
    await sandbox.ask('mark', undefined);
    await post();
    await wait(OUTAGE_MS);
    await sandbox.ask('apnsOutage', 'none');
    const backMs = sharedMs();
    const { lastMs } = await sandbox.ask('reach', WAITING);
    return (lastMs - backMs) / 1000;
  }
}
