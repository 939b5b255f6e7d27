import { setTimeout as pause } from 'node:timers/promises';
import { IN_FLIGHT_A_THREAD } from '../../../src/delivery/limits.ts';
import { Resources } from '../../support/resources.ts';
import { until, untilIs } from '../../support/until.ts';
import { Load } from '../load.ts';
import { compare, openIn, type Scene, twiceIn, waitsOf } from './compare.ts';
import { Ends } from './ends.ts';
import { eachOnce, type Fault, type Round } from './faults.ts';
import { Follower } from './follower.ts';
import { Life } from './life.ts';
import { post } from './post.ts';
import type { RecordedPush } from './provider.ts';
import { type Tallied, tally } from './tally.ts';
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
  readonly rounds?: readonly Round[];
  /** Events a second that are posted, as far as the machine can. */
  readonly aSecond?: number;
  /** To which each of them goes. */
  readonly phones?: number;
  /** Called as each is over. */
  readonly onReport?: (report: RoundReport) => void;
  /** Called after each fault. */
  readonly onFault?: (what: string) => void;
  /** Ends a round after the fault that is in progress. */
  readonly signal?: AbortSignal;
}

/** The results of all rounds. `kinds`: of what was in progress beside the load. */
export interface RunReport {
  readonly rounds: readonly RoundReport[];
  readonly kinds: readonly Tallied[];
  /** In words. */
  readonly machine: string;
  /** Why a machine had to be started again. */
  readonly failedStarts: readonly string[];
}

const CROWD = 300;
const MOST_CONNECTIONS = 20;
const MOST_MEMORY_MB = 500;
const PAUSE_MS = 50;
/** The time of a post beside the pause, if the machine has other work to do. */
const POST_MS = 30;
/** So that the others go on while one waits for a machine that is frozen. */
const LEAST_POSTERS = 4;
const ANSWER_MS = 20_000;
const DRAINS_WITHIN_MS = 120_000;
/** From a fault's begin, until the ends that happen during it. */
const ENDS_AFTER_MS = 500;

/** Lets faults happen to three machines under load, and compares after each round what was promised with what came in. */
export async function runStrangers(options: RoundsOptions = {}): Promise<RunReport> {
  const { rounds = eachOnce(), aSecond = 50, phones: many = 12, onReport = () => {} } = options;
  await using opened = new Resources();
  const world = await aWorld(opened);
  const phones: string[] = [];
  for (let n = 0; n < many; n += 1) phones.push((await world.addPhone()).token);
  await world.addCrowd(CROWD);
  const follower = new Follower(world.team.key);
  const stop = new AbortController();
  const following = follower.run(() => world.machines[2].url, stop.signal);
  const scene = { load: new Load(world.team.key, paceOf(aSecond)), phones, ends: new Ends(world), follower };
  const life = await Life.begin(world);
  let kinds: readonly Tallied[] | null = null;
  const reports: RoundReport[] = [];
  for (const round of rounds) {
    // Scheduled events follow that clock, so none is in progress then.
    if (round.faults.some(({ setsDatabaseClock }) => setsDatabaseClock)) kinds ??= await endOf(life, world, scene);
    const report = await aRound(world, round, scene, options);
    onReport(report);
    reports.push(report);
  }
  kinds ??= await endOf(life, world, scene);
  stop.abort();
  await following;
  return { rounds: reports, kinds, machine: life.pulse.inWords(), failedStarts: world.failedStarts };
}

function paceOf(aSecond: number) {
  const posters = Math.max(LEAST_POSTERS, Math.ceil((aSecond * (PAUSE_MS + POST_MS)) / 1_000));
  return { posters, pauseMs: (posters * 1_000) / aSecond - POST_MS, answerMs: ANSWER_MS };
}

async function endOf(life: Life, world: World, scene: Scene): Promise<readonly Tallied[]> {
  const kinds = await life.end();
  return [tally('events under load', waitsOf(world, scene), { timeline: world.timeline, pulse: life.pulse }), ...kinds];
}

async function aRound(
  world: World,
  { what, faults, everyMs = 0, restMs = 0 }: Round,
  scene: Scene,
  { onFault = () => {}, signal }: RoundsOptions,
): Promise<RoundReport> {
  const { load } = scene;
  const before = { acknowledged: load.acknowledged.size, twice: twiceIn(world), pushes: world.provider.pushes.length };
  const wrong: string[] = [];
  const stop = new AbortController();
  const posting = load.run(world.balancer.url, stop.signal);
  const watching = watch(world, stop.signal);
  await until('events are taken', () => load.acknowledged.size > before.acknowledged + 20 || load.acknowledged.size);
  let recoveryMs = 0;
  for (const fault of faults) {
    if (signal?.aborted) break;
    const next = pause(everyMs);
    const tookMs = await aFault(world, fault, scene, restMs);
    onFault(`${fault.what}: recovered in ${(tookMs / 1_000).toFixed(1)} s`);
    recoveryMs = Math.max(recoveryMs, tookMs);
    await next;
  }
  stop.abort();
  await posting;
  await load.finish(world.balancer.url);
  await untilIs('the queue is empty', () => openIn(world), 0, DRAINS_WITHIN_MS).catch((error: Error) =>
    wrong.push(error.message),
  );
  wrong.push(...(await watching));
  const { lost, broken } = await compare(world, scene, !faults.some(({ setsDatabaseClock }) => setsDatabaseClock));
  const twice = twiceIn(world) - before.twice;
  const machines = faults.reduce((sum, fault) => sum + fault.machines, 0);
  const most = machines * (IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard);
  if (twice > most) wrong.push(`${twice} sent twice, at most ${most}`);
  return {
    what,
    acknowledged: load.acknowledged.size - before.acknowledged,
    lost,
    twice,
    pushes: world.provider.pushes.length - before.pushes,
    recoveryMs,
    wrong: [...wrong, ...broken],
  };
}

/** Lets it happen, with ends of everything in the middle of it. Answers how long the recovery took. */
async function aFault(world: World, fault: Fault, { ends, phones }: Scene, restMs: number): Promise<number> {
  const stop = new AbortController();
  const end = await ends.prepare(stop.signal);
  await Promise.all([fault.run(world), pause(ENDS_AFTER_MS).then(end)]);
  const rested = pause(restMs);
  const recoveryMs = await untilArrived(world, phones[0] ?? '');
  stop.abort();
  await rested;
  return recoveryMs;
}

async function untilArrived({ team, balancer, provider }: World, token: string): Promise<number> {
  const startMs = performance.now();
  let publicId: string | null = null;
  await until('an event is taken', async () => {
    publicId = await post(balancer.url, team.key);
    return publicId !== null;
  });
  await until('it arrives', () => isIn(provider.pushes, token, String(publicId)));
  return performance.now() - startMs;
}

/** Looks at the newest first. */
function isIn(pushes: readonly RecordedPush[], token: string, publicId: string): boolean {
  return pushes.findLast((push) => push.eventId === publicId && push.token === token) !== undefined;
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
