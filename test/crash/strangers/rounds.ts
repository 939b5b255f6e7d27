import { setTimeout as pause } from 'node:timers/promises';
import { publicIdOf } from '../../../src/contract/public-id.ts';
import { IN_FLIGHT_A_THREAD } from '../../../src/delivery/limits.ts';
import { Opened } from '../../support/opened.ts';
import { until } from '../../support/until.ts';
import { Load } from '../load.ts';
import { FAULTS, type Fault } from './faults.ts';
import { Follower } from './follower.ts';
import { aWorld, type World } from './world.ts';

export interface RoundReport {
  readonly what: string;
  readonly acknowledged: number;
  /** Acknowledged and not stored, or stored and not arrived. */
  readonly lost: number;
  readonly twice: number;
  /** From the fault's end until an event arrived that was posted then. */
  readonly recoveryMs: number;
  /** What broke a promise, in words. */
  readonly wrong: readonly string[];
}

const PHONES = 12;
const MOST_CONNECTIONS = 20;
const MOST_MEMORY_MB = 500;
/** A request that is being written at that very moment cannot be called back. */
const WRITTEN_MS = 250;
const PACE = { posters: 4, pauseMs: 50, answerMs: 20_000 };
const DRAINS_WITHIN_MS = 120_000;

/**
 * Lets all faults happen to three machines under load, and compares after each what was promised with what came in.
 * `onReport`: told of each as it is over.
 */
export async function runStrangers(
  onReport: (report: RoundReport) => void,
  faults: readonly Fault[] = FAULTS,
): Promise<readonly RoundReport[]> {
  await using opened = new Opened();
  const world = await aWorld(opened);
  const phones: string[] = [];
  for (let n = 0; n < PHONES; n += 1) phones.push((await world.addPhone()).token);
  const follower = new Follower(world.team.key);
  const stop = new AbortController();
  const following = follower.run(() => world.machines[2].url, stop.signal);
  const load = new Load(world.team.key, PACE);
  const reports: RoundReport[] = [];
  const ended = new Map<string, number>();
  for (const fault of faults) {
    const report = await aRound(world, fault, { load, phones, ended, follower });
    onReport(report);
    reports.push(report);
  }
  stop.abort();
  await following;
  return reports;
}

interface Scene {
  readonly load: Load;
  readonly phones: readonly string[];
  /** When it was answered that these tokens are no more. */
  readonly ended: Map<string, number>;
  readonly follower: Follower;
}

async function aRound(world: World, fault: Fault, scene: Scene): Promise<RoundReport> {
  const { load, ended } = scene;
  const before = { acknowledged: load.acknowledged.size, twice: twiceIn(world) };
  const leaving = [await world.addPhone(), await world.addPhone()];
  const wrong: string[] = [];
  const stop = new AbortController();
  const posting = load.run(world.balancer.url, stop.signal);
  const watching = watch(world, stop.signal);
  await until('events are taken', () => load.acknowledged.size > before.acknowledged + 20);
  const happening = fault.run(world);
  await pause(500);
  for (const { id, token } of leaving) {
    await untilRemoved(world, id);
    ended.set(token, performance.now());
  }
  await happening;
  const recoveryMs = await untilArrived(world, scene.phones[0] ?? '');
  await pause(1_000);
  stop.abort();
  await posting;
  await load.finish(world.balancer.url);
  await until('the queue is empty', async () => (await openIn(world)) === 0, DRAINS_WITHIN_MS).catch((error: Error) =>
    wrong.push(error.message),
  );
  wrong.push(...(await watching));
  const { lost, broken } = await compare(world, scene);
  const twice = twiceIn(world) - before.twice;
  const most = fault.machines * (IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard);
  if (twice > most) wrong.push(`${twice} sent twice, at most ${most}`);
  return {
    what: fault.what,
    acknowledged: load.acknowledged.size - before.acknowledged,
    lost,
    twice,
    recoveryMs,
    wrong: [...wrong, ...broken],
  };
}

/** The client asks again until it has an answer, as whoever does not get one would. */
async function untilRemoved({ team }: World, id: string): Promise<void> {
  await until('a removal is answered', () =>
    team.store.removeDevice({ id }).then(
      () => true,
      () => false,
    ),
  );
}

async function untilArrived({ team, balancer, provider }: World, token: string): Promise<number> {
  const startMs = performance.now();
  let publicId = '';
  await until('an event is taken', async () => {
    publicId = await postOnce(balancer.url, team.key);
    return publicId !== '';
  });
  const isIn = () => provider.pushes.some((push) => push.eventId === publicId && push.token === token);
  await until('it arrives', isIn);
  return performance.now() - startMs;
}

async function postOnce(url: string, key: string): Promise<string> {
  try {
    const answer = await fetch(`${url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'alerts', title: 'Well again' }),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.status !== 202) return '';
    return ((await answer.json()) as { event: { public_id: string } }).event.public_id;
  } catch {
    return '';
  }
}

/** Resolves with what was beyond its bounds meanwhile. */
async function watch({ sql, memory }: World, signal: AbortSignal): Promise<string[]> {
  let [connections, mb] = [0, 0];
  while (!signal.aborted) {
    const rows = await sql(`
      SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE 'pushctl%' GROUP BY usename`).catch(
      () => [],
    );
    connections = Math.max(connections, ...rows.map(({ n }) => Number(n)));
    mb = Math.max(mb, ...memory());
    await pause(250);
  }
  return [
    ...(connections > MOST_CONNECTIONS ? [`${connections} connections of a machine`] : []),
    ...(mb > MOST_MEMORY_MB ? [`${Math.round(mb)} MB`] : []),
  ];
}

async function openIn({ sql }: World): Promise<number> {
  const [found] = await sql(`
    SELECT (SELECT count(*) FROM fan_out) + (SELECT count(*) FROM claim)
      + (SELECT count(*) FROM delivery WHERE state = 'pending') AS open`);
  return Number(found?.open);
}

function twiceIn({ provider }: World): number {
  return provider.pushes.length - new Set(provider.pushes.map(({ token, eventId }) => `${token} ${eventId}`)).size;
}

/** All that was promised so far with all that the provider and the follower saw. */
async function compare(world: World, { load, phones, ended, follower }: Scene) {
  const { provider, sql, machines } = world;
  const rows = await sql(`
    SELECT encode(uuid, 'hex') AS uuid, targeted, accepted, withdrawn,
      accepted + failed + unregistered + expired + withdrawn AS done FROM event`);
  const stored = new Map(rows.map((row) => [publicIdOf(String(row.uuid)), row]));
  const arrived = new Set(provider.pushes.map(({ token, eventId }) => `${token} ${eventId}`));
  const missing = [...load.acknowledged].filter((id) => !stored.has(id)).length;
  const unsent = [...stored.keys()].flatMap((id) => phones.filter((token) => !arrived.has(`${token} ${id}`))).length;
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  const late = provider.pushes.filter(({ token, atMs }) => atMs > (ended.get(token) ?? Infinity) + WRITTEN_MS).length;
  await follower.look(machines[2].url);
  const unseen = [...stored.keys()].filter((id) => !follower.seen.has(id)).length;
  const seen = [...arrived].length;
  const [accepted, withdrawn] = [sum('accepted'), sum('withdrawn')];
  const broken = [
    ...(late > 0 ? [`${late} pushes after an answered removal`] : []),
    ...(sum('done') === sum('targeted') ? [] : [`${sum('targeted') - sum('done')} pushes without an end`]),
    // Of a push whose answer was lost, and whose device was removed meanwhile, nobody knows that it arrived.
    ...(accepted <= seen && seen <= accepted + withdrawn ? [] : [`${accepted} counted as accepted, ${seen} came in`]),
    ...(unseen > 0 ? [`${unseen} events that the follower missed`] : []),
    ...load.torn.map((key) => `${key} was answered with two events`),
  ];
  return { lost: missing + unsent, broken };
}

export function isGood({ lost, wrong }: RoundReport): boolean {
  return lost === 0 && wrong.length === 0;
}

/** A row of the table in docs/scale-out.md. */
export function inOneRow({ what, acknowledged, lost, twice, recoveryMs, wrong }: RoundReport): string {
  const row = `| ${what} | ${acknowledged} | ${lost} | ${twice} | ${(recoveryMs / 1_000).toFixed(1)} s |`;
  return [row, ...wrong].join('; ');
}
