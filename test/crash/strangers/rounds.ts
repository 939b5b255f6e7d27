import { setTimeout as pause } from 'node:timers/promises';
import { IN_FLIGHT_A_THREAD } from '../../../src/delivery/limits.ts';
import { Resources } from '../../support/resources.ts';
import { until, untilIs } from '../../support/until.ts';
import { Load } from '../load.ts';
import { compare, openIn, type Scene, twiceIn } from './compare.ts';
import { Ends } from './ends.ts';
import { FAULTS, type Fault } from './faults.ts';
import { Follower } from './follower.ts';
import { post } from './post.ts';
import { aWorld, type World } from './world.ts';

export interface RoundReport {
  readonly what: string;
  readonly acknowledged: number;
  /** Acknowledged and not stored, or stored and not arrived. */
  readonly lost: number;
  readonly twice: number;
  /** That came in meanwhile. */
  readonly pushes: number;
  /** From the fault's end until an event arrived that was posted then. */
  readonly recoveryMs: number;
  /** The broken promises, in words. */
  readonly wrong: readonly string[];
}

export interface RoundsOptions {
  readonly faults?: readonly Fault[];
  /** Events a second that are posted, as far as the machine can. */
  readonly aSecond?: number;
  /** To which each of them goes. */
  readonly phones?: number;
  /** Called as each is over. */
  readonly onReport?: (report: RoundReport) => void;
}

const CROWD = 300;
const MOST_CONNECTIONS = 20;
const MOST_MEMORY_MB = 500;
const PAUSE_MS = 50;
/** The time of a post beside the pause, if the machine has other work to do. */
const POST_MS = 30;
const ANSWER_MS = 20_000;
const DRAINS_WITHIN_MS = 120_000;

/** Lets faults happen to three machines under load, and compares after each what was promised with what came in. */
export async function runStrangers(options: RoundsOptions = {}): Promise<readonly RoundReport[]> {
  const { faults = FAULTS, aSecond = 50, phones: many = 12, onReport = () => {} } = options;
  await using opened = new Resources();
  const world = await aWorld(opened);
  const phones: string[] = [];
  for (let n = 0; n < many; n += 1) phones.push((await world.addPhone()).token);
  await world.addCrowd(CROWD);
  const follower = new Follower(world.team.key);
  const stop = new AbortController();
  const following = follower.run(() => world.machines[2].url, stop.signal);
  const pace = { posters: Math.ceil((aSecond * (PAUSE_MS + POST_MS)) / 1_000), pauseMs: PAUSE_MS, answerMs: ANSWER_MS };
  const scene = { load: new Load(world.team.key, pace), phones, ends: new Ends(world), follower };
  const reports: RoundReport[] = [];
  for (const fault of faults) {
    const report = await aRound(world, fault, scene);
    onReport(report);
    reports.push(report);
  }
  stop.abort();
  await following;
  return reports;
}

async function aRound(world: World, fault: Fault, scene: Scene): Promise<RoundReport> {
  const { load, ends } = scene;
  const before = { acknowledged: load.acknowledged.size, twice: twiceIn(world), pushes: world.provider.pushes.length };
  const wrong: string[] = [];
  const stop = new AbortController();
  const end = await ends.prepare(stop.signal);
  const posting = load.run(world.balancer.url, stop.signal);
  const watching = watch(world, stop.signal);
  await until('events are taken', () => load.acknowledged.size > before.acknowledged + 20 || load.acknowledged.size);
  const happening = fault.run(world);
  await pause(500);
  await end();
  await happening;
  const recoveryMs = await untilArrived(world, scene.phones[0] ?? '');
  stop.abort();
  await posting;
  await load.finish(world.balancer.url);
  await untilIs('the queue is empty', () => openIn(world), 0, DRAINS_WITHIN_MS).catch((error: Error) =>
    wrong.push(error.message),
  );
  wrong.push(...(await watching));
  const { lost, broken } = await compare(world, scene, !fault.setsDatabaseClock);
  const twice = twiceIn(world) - before.twice;
  const most = fault.machines * (IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard);
  if (twice > most) wrong.push(`${twice} sent twice, at most ${most}`);
  return {
    what: fault.what,
    acknowledged: load.acknowledged.size - before.acknowledged,
    lost,
    twice,
    pushes: world.provider.pushes.length - before.pushes,
    recoveryMs,
    wrong: [...wrong, ...broken],
  };
}

async function untilArrived({ team, balancer, provider }: World, token: string): Promise<number> {
  const startMs = performance.now();
  let publicId: string | null = null;
  await until('an event is taken', async () => {
    publicId = await post(balancer.url, team.key);
    return publicId !== null;
  });
  await until('it arrives', () => provider.pushes.some((push) => push.eventId === publicId && push.token === token));
  return performance.now() - startMs;
}

/** The bounds that a machine exceeded, in words. */
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

export function isGood({ lost, wrong }: RoundReport): boolean {
  return lost === 0 && wrong.length === 0;
}

/** A row of the table in docs/scale-out.md. */
export function inOneRow({ what, acknowledged, lost, twice, pushes, recoveryMs, wrong }: RoundReport): string {
  const row = `| ${what} (${pushes} pushes) | ${acknowledged} | ${lost} | ${twice} | ${(recoveryMs / 1_000).toFixed(1)} s |`;
  return [row, ...wrong].join('; ');
}
