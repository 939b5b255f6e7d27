import { setTimeout as pause } from 'node:timers/promises';
import { BOB } from '../../support/cast.ts';
import { granted } from '../../support/refusals.ts';
import { signIn } from '../../support/sign-in.ts';
import { additionsTo, populate } from '../../support/workspace.ts';
import { Client, rest } from './client.ts';
import { LifeAlerts } from './life-alerts.ts';
import { LifeHeartbeats } from './life-heartbeats.ts';
import { LifeLater } from './life-later.ts';
import { LifeNights } from './life-nights.ts';
import { LifeWebhook } from './life-webhook.ts';
import type { RecordedPush } from './provider.ts';
import { Pulse } from './pulse.ts';
import { type Tallied, tally } from './tally.ts';
import type { Timeline } from './timeline.ts';
import type { World } from './world.ts';

/** The workspace beside the one under load, in which some of everything is in progress, at a low rate. */
export const LIFE = 'life';

export interface LifeScene {
  readonly world: World;
  readonly pulse: Pulse;
  /** Posts, and declares heartbeats. */
  readonly sender: Client;
  /** Bob, who has all phones and answers alerts. */
  readonly person: Client;
  addChannel(slug: string, settings?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Answers the token. */
  addPhone(channels: readonly string[], isMuted?: boolean): Promise<string>;
  /** The pushes of this workspace. */
  pushes(): readonly RecordedPush[];
  /** When an event first came to the phone; undefined: never. */
  arrivedMs(token: string, publicId: string): number | undefined;
}

/** A kind of work that is in progress during faults. */
export interface Strand {
  /** Begins no more once `signal` is aborted, and resolves when what it began is over. */
  run(signal: AbortSignal): Promise<void>;
  results(): readonly Tallied[];
}

const MUTED_UNTIL = '9999-12-31T23:59:59Z';
/** How long what is in progress at the end may still take. */
const LAST_MS = 20_000;

/** Alerts, heartbeats, scheduled events, quiet hours, mutes, read marks and a webhook, all in progress until `end`. */
export class Life {
  readonly pulse: Pulse;
  readonly #scene: { readonly timeline: Timeline; readonly pulse: Pulse };
  readonly #strands: readonly Strand[];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  readonly #failed: string[] = [];

  private constructor(scene: LifeScene, strands: readonly Strand[]) {
    const { world, pulse } = scene;
    this.#scene = { timeline: world.timeline, pulse };
    this.pulse = pulse;
    this.#strands = strands;
    const { signal } = this.#stop;
    this.#running = Promise.all([
      // A strand that fails leaves the others' results.
      ...strands.map((strand) => strand.run(signal).catch((error: Error) => void this.#failed.push(error.message))),
      pulse.run(() => world.sql('SELECT 1'), signal),
    ]);
  }

  static async begin(world: World): Promise<Life> {
    const scene = await aScene(world);
    const webhook = await LifeWebhook.make(scene);
    const strands = [
      await LifeAlerts.make(scene, webhook),
      await LifeHeartbeats.make(scene, webhook),
      await LifeLater.make(scene, webhook),
      await LifeNights.make(scene, webhook),
      webhook,
    ];
    return new Life(scene, strands);
  }

  /** Waits for what is in progress, and compares. */
  async end(): Promise<readonly Tallied[]> {
    this.#stop.abort();
    await this.#running;
    await pause(LAST_MS);
    const refused = tally('answers to its clients', [], { ...this.#scene, wrong: this.#failed });
    return [...this.#strands.flatMap((strand) => strand.results()), refused];
  }
}

async function aScene(world: World): Promise<LifeScene> {
  const { team, balancer, provider } = world;
  const { store } = team;
  await populate(store, { workspace: LIFE, channels: [], owner: BOB });
  const additions = additionsTo(store, { workspace: LIFE, owner: BOB });
  const scopes = ['events:write', 'events:read', 'heartbeats:write'] as const;
  const key = await additions.issueKey({ scopes });
  const token = await signIn({ http: { url: balancer.url }, store }, BOB);
  const person = new Client(balancer.url, token);
  const index = indexOf(provider.pushes);
  return {
    world,
    pulse: new Pulse(),
    sender: new Client(balancer.url, key.text),
    person,
    async addChannel(slug, settings = {}) {
      granted(await store.createChannel({ workspace: LIFE, slug }));
      granted(await store.updateChannel({ workspace: LIFE, slug, ...settings }));
    },
    async addPhone(channels, isMuted = false) {
      const own = world.token();
      const id = await additions.addDevice({ platform: 'ios', token: own, subscribe: channels });
      for (const channel of isMuted ? channels : []) {
        const path = `/api/v1/devices/${id}/subscriptions/${LIFE}/${channel}`;
        await person.request('PUT', path, { muted_until: MUTED_UNTIL });
      }
      return own;
    },
    pushes: () => index().ofLife,
    arrivedMs: (phone, publicId) => index().first.get(`${phone} ${publicId}`),
  };
}

/** Looks at each push once, however often the answer is called. */
function indexOf(pushes: readonly RecordedPush[]) {
  const ofLife: RecordedPush[] = [];
  const first = new Map<string, number>();
  let seen = 0;
  return () => {
    for (const push of pushes.slice(seen)) {
      seen += 1;
      if (push.workspace !== LIFE) continue;
      ofLife.push(push);
      const name = `${push.token} ${push.eventId}`;
      if (!first.has(name)) first.set(name, push.atMs);
    }
    return { ofLife, first };
  };
}

/** Does a step again and again until `signal`. */
export async function repeatedly(everyMs: number, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await step();
    await rest(everyMs, signal);
  }
}
