import { pino } from 'pino';
import type { RelayDeps } from '../../src/delivery/dispatch.ts';
import { LinkMemory } from '../../src/delivery/link-memory.ts';
import { Relay } from '../../src/delivery/relay.ts';
import type { Clock } from '../../src/process/clock.ts';
import { type Batch, type Links, ROUTES, type Route, type Sent } from '../../src/push.ts';
import { CALL_NAMES, type Claim } from '../../src/store/calls.ts';
import { outcomesFor } from './queue.ts';
import { SimulatedClock } from './simulation.ts';
import type { SqliteStore } from './store.ts';
import { aWorld, NOW_MS, type SqliteWorld, type WorldOptions } from './world.ts';

const DAY_MS = 86_400_000;

export interface RelayOptions extends Pick<WorldOptions, 'devices'> {
  /** A new one, unless given. */
  readonly world?: SqliteWorld;
  readonly random?: number;
  /** The rate of each route. */
  readonly perMinute?: number;
  readonly stopTimeoutMs?: number;
  /** How long each reading of the clock takes. */
  readonly readingMs?: number;
}

/** A relay over a real database, with a clock and a provider that the test controls. */
export async function aRelay({
  devices = {},
  world: given,
  random = 0.5,
  perMinute,
  stopTimeoutMs = 25_000,
  readingMs = 0,
}: RelayOptions = {}) {
  const world = given ?? (await aWorld({ ttlMs: DAY_MS, devices }));
  const clock = new SimulatedClock(NOW_MS);
  clock.readingMs = readingMs;
  const links = new LinkMemory(64 * 1024 * 1024, DAY_MS, clock);
  const batches: Batch[] = [];
  const sentAtMs: number[] = [];
  const hanging: (() => void)[] = [];
  const logged: string[] = [];
  let isStopping = false;
  const sim = {
    world,
    links,
    batches,
    logged,
    answer: (batch: Batch): readonly Sent[] => outcomesFor(batch, { kind: 'accepted' }),
    hang: (_batch: Batch): boolean => false,
    /** The answers of a batch before it hangs. */
    early: (_batch: Batch): readonly Sent[] => [],
    /** Called with what the store has claimed, before the relay gets it. */
    onClaimed: (_claims: readonly Claim[]): void => {},
    /** Takes claims back in place of the store. */
    giveBack: null as RelayDeps['store']['releaseBatch'] | null,
    release: () => {
      for (const go of hanging.splice(0)) go();
    },
    sentAfterMs: () => sentAtMs.map((atMs) => atMs - NOW_MS),
    run: (ms: number) => clock.run(ms),
    share: (processes: number) => running.share(processes),
    /** Works like `route pause` and `route resume`. */
    hold: (route: Route, isHeld: boolean) => running.hold(route, isHeld ? clock.wallMs() : null),
    after: clock.after,
    timers: () => clock.timers,
    async post({ links: eventLinks = {}, ...event }: Parameters<SqliteWorld['post']>[0] & { links?: Links } = {}) {
      const hadLinks = eventLinks.url !== undefined || eventLinks.imageUrl !== undefined;
      const publicId = await world.post({ ...event, hadLinks, wallMs: clock.wallMs(), steadyMs: clock.steadyMs() });
      links.hold(world.workspaceId, publicId, eventLinks);
      running.nudge();
      return publicId;
    },
    async stop() {
      isStopping = true;
      const stopped = running.stop(stopTimeoutMs, 5_000);
      await clock.run(stopTimeoutMs + 10_000);
      await stopped;
    },
    [Symbol.asyncDispose]: () => sim.stop(),
  };
  const pool = {
    async send(batch: Batch, onEarly: (answers: readonly Sent[]) => void): Promise<readonly Sent[]> {
      batches.push(batch);
      sentAtMs.push(clock.steadyMs());
      const early = sim.early(batch);
      if (early.length > 0) onEarly(early);
      if (sim.hang(batch)) await new Promise<void>((resolve) => hanging.push(resolve));
      return sim.answer(batch);
    },
  };
  const store = asynchronous(world, clock);
  const parts: RelayDeps = {
    store: {
      ...store,
      async claimBatches(asked) {
        const answer = await store.claimBatches(asked);
        sim.onClaimed(answer.claims);
        return answer;
      },
      releaseBatch: (claim) => (sim.giveBack ?? store.releaseBatch)(claim),
    },
    openClaims: world.openClaims,
    pool,
    links,
    clock,
    policy: { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 },
    threads: 2,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    random: () => random,
    after: clock.after,
    receipts: true,
    isStopping: () => isStopping,
  };
  const running = new Relay(
    parts,
    ROUTES.map((route) => ({ route, perMinute: perMinute ?? null })),
  );
  running.start();
  return sim;
}

/** The same store by this clock. */
function asynchronous({ calls }: SqliteStore, clock: Clock): RelayDeps['store'] {
  const now = () => ({ wallMs: clock.wallMs(), steadyMs: clock.steadyMs() });
  const entries = CALL_NAMES.map((name) => [name, async (args: object) => calls[name]({ ...args, ...now() } as never)]);
  return Object.fromEntries(entries);
}
