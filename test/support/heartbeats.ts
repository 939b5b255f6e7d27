import type { ScheduleChange } from '../../src/contract/heartbeats.ts';
import type { Moment } from '../../src/process/clock.ts';
import type { Heartbeat, Ping, PingAnswer } from '../../src/store/calls.ts';
import type { Engine } from './engines.ts';
import { granted } from './refusals.ts';
import { aWorld, NOW_MS, type World, type WorldOptions } from './world.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** An event that a heartbeat has posted. */
export interface PostedEvent {
  readonly title: string;
  readonly description: string | null;
  readonly type: string | null;
}

/** A workspace with the channel `alerts`, whose time a test has pass. */
export interface Patient extends World {
  now(): Moment;
  /** Adds a heartbeat and pings it once, unless `isNew`. Answers its ping address. */
  expect(slug: string, options?: ScheduleChange & { isNew?: boolean }): Promise<string>;
  ping(uuid: string, ping?: Partial<Ping>): Promise<PingAnswer>;
  /** Time passes, while the server does what it does every ten seconds. */
  pass(ms: number): Promise<void>;
  /** Time passes, and no server runs. `wallMs`: what the wall clock says of it. */
  outage(ms: number): Promise<void>;
  /** The wall clock is set by so much; if it is the queue's as well, so is that. */
  setClock(byMs: number, which?: 'wall' | 'both'): void;
  beat(slug: string): Promise<Heartbeat>;
  /** Returns the posted events, the oldest first. */
  posted(): Promise<readonly PostedEvent[]>;
}

export async function aPatient(options: WorldOptions & { readonly engine: Engine }): Promise<Patient> {
  return patientIn(await aWorld({ devices: { ios: 1 }, ...options }));
}

function patientIn(world: World): Patient {
  let now: Moment = { wallMs: NOW_MS, steadyMs: NOW_MS };
  const { calls } = world;
  const move = (wallMs: number, steadyMs = wallMs) => {
    now = { wallMs: now.wallMs + wallMs, steadyMs: now.steadyMs + steadyMs };
  };
  const tend = async () => {
    for (;;) {
      const { nextInMs } = await calls.tendHeartbeats(now);
      if (nextInMs !== 0) return;
    }
  };
  const patient: Patient = {
    ...world,
    now: () => now,
    async expect(slug, { isNew = false, ...schedule } = {}) {
      const made = await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug, ...schedule, ...now });
      const { uuid } = granted(made);
      if (!isNew) await patient.ping(uuid);
      return uuid;
    },
    ping: (uuid, ping) =>
      calls.pingHeartbeat({ uuid, kind: 'success', rid: null, output: null, exitStatus: null, ...ping, ...now }),
    async pass(ms) {
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, 10_000);
        move(step);
        left -= step;
        await tend();
      }
    },
    async outage(ms) {
      move(ms);
      await tend();
    },
    setClock: (byMs, which = 'wall') => move(byMs, which === 'both' ? byMs : 0),
    beat: async (slug) => granted(await calls.showHeartbeat({ workspace: 'acme', slug, ...now })),
    async posted() {
      const { events } = granted(await calls.listEvents({ workspace: 'acme', limit: 200 }));
      return events.map(({ title, description, event_type: type }) => ({ title, description, type })).reverse();
    },
  };
  return patient;
}

/** Reports a failure and a success, again and again. */
export async function flap({ ping }: Patient, uuid: string, times = 5): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await ping(uuid, { kind: 'fail' });
    await ping(uuid);
  }
}
