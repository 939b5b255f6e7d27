import { answered, rest } from './client.ts';
import { LIFE, type LifeScene, repeatedly, type Strand } from './life.ts';
import type { LifeWebhook } from './life-webhook.ts';
import type { RecordedPush } from './provider.ts';
import { type Promised, tally } from './tally.ts';

/** A heartbeat whose job stops, and pings once more when that was reported. */
interface Stopped {
  readonly slug: string;
  readonly pingStartMs: number;
  readonly pingAtMs: number;
  upAtMs: number | null;
}

const CHANNEL = 'beats';
const SCHEDULE = { channel: CHANNEL, every: 60, grace: 60 };
/** From the last ping to the report. */
const DOWN_MS = 120_000;
/** The accuracy of an outage's length, and of the report. */
const ACCURACY_MS = 10_000;
const STEADY = 3;
const PING_EVERY_MS = 20_000;
const STOPPING = 3;
const REPORTED_WITHIN_MS = 420_000;
const LOOK_EVERY_MS = 500;
/** Until a second report of the same would have come. */
const ONCE_MS = 20_000;
const EARLY_MS = 500;

/** Heartbeats that are pinged all the time, and others that stop. */
export class LifeHeartbeats implements Strand {
  readonly #scene: LifeScene;
  readonly #webhook: LifeWebhook;
  readonly #phone: string;
  readonly #stopped: Stopped[] = [];
  #pings = 0;

  private constructor(scene: LifeScene, webhook: LifeWebhook, phone: string) {
    this.#scene = scene;
    this.#webhook = webhook;
    this.#phone = phone;
  }

  static async make(scene: LifeScene, webhook: LifeWebhook): Promise<LifeHeartbeats> {
    await scene.addChannel(CHANNEL);
    return new LifeHeartbeats(scene, webhook, await scene.addPhone([CHANNEL]));
  }

  async run(signal: AbortSignal): Promise<void> {
    const many = (count: number, run: (n: number) => Promise<void>) => Array.from({ length: count }, (_, n) => run(n));
    await Promise.all([
      ...many(STEADY, (n) => this.#keepPinging(`steady-${n}`, signal)),
      ...many(STOPPING, (n) => this.#keepStopping(n, signal)),
    ]);
  }

  results() {
    const { pulse, world } = this.#scene;
    const { timeline } = world;
    const reports = this.#stopped.flatMap(({ slug, pingAtMs, upAtMs }): readonly Promised[] => {
      const [down, up] = this.#events(slug);
      const dueMs = pingAtMs + DOWN_MS + ACCURACY_MS;
      return [
        {
          what: `${slug} is down`,
          dueMs: dueMs + this.#outagesMs(pingAtMs, down?.atMs ?? dueMs),
          arrivedMs: down?.atMs,
        },
        ...(upAtMs === null ? [] : [{ what: `${slug} is up again`, dueMs: upAtMs, arrivedMs: up?.atMs }]),
      ];
    });
    return [
      tally('heartbeats that stop, down and up', reports, { timeline, pulse, wrong: this.#wrong() }),
      tally(`heartbeats that go on, ${this.#pings} pings`, [], { timeline, pulse, wrong: this.#falseAlarms() }),
    ];
  }

  async #keepPinging(slug: string, signal: AbortSignal): Promise<void> {
    const path = await this.#declare(slug);
    await repeatedly(PING_EVERY_MS, signal, async () => {
      await this.#scene.sender.request('GET', path);
      this.#pings += 1;
    });
    await this.#pause(slug);
  }

  async #keepStopping(n: number, signal: AbortSignal): Promise<void> {
    await rest((n * DOWN_MS) / STOPPING, signal);
    for (let round = 0; !signal.aborted; round += 1) await this.#stop(`stops-${n}-${round}`, signal);
  }

  async #stop(slug: string, signal: AbortSignal): Promise<void> {
    const path = await this.#declare(slug);
    const { startMs, atMs } = await this.#scene.sender.request('GET', path);
    const stopped: Stopped = { slug, pingStartMs: startMs, pingAtMs: atMs, upAtMs: null };
    const endMs = performance.now() + REPORTED_WITHIN_MS;
    while (this.#events(slug).length === 0 && performance.now() < endMs && !signal.aborted) {
      await rest(LOOK_EVERY_MS, signal);
    }
    if (signal.aborted) return this.#pause(slug);
    this.#stopped.push(stopped);
    this.#webhook.expect(`heartbeat.down ${slug}`, performance.now());
    await rest(ONCE_MS, signal);
    const up = await this.#scene.sender.request('GET', path);
    stopped.upAtMs = up.atMs;
    this.#webhook.expect(`heartbeat.up ${slug}`, up.atMs);
    await rest(ONCE_MS, signal);
    await this.#pause(slug);
  }

  /** Answers the path of its pings. */
  async #declare(slug: string): Promise<string> {
    const { body } = await this.#scene.sender.request('PUT', `/api/v1/heartbeats/${slug}`, SCHEDULE);
    const { ping_url } = body.heartbeat as { ping_url: string };
    return `/ping/${ping_url.split('/').at(-1)}`;
  }

  async #pause(slug: string): Promise<void> {
    const { store } = this.#scene.world.team;
    await answered('a pause', () => store.pauseHeartbeat({ workspace: LIFE, slug }));
  }

  /** Each event that came once, however often. */
  #events(slug: string): readonly RecordedPush[] {
    const key = `heartbeat/${slug}`;
    const all = this.#scene.pushes().filter((push) => push.token === this.#phone && push.collapseKey === key);
    return [...new Map(all.toReversed().map((push) => [push.eventId, push])).values()].toReversed();
  }

  /** Returns how much later a deadline may be because of outages of all machines. */
  #outagesMs(fromMs: number, toMs: number): number {
    return this.#scene.world.timeline
      .between(fromMs, toMs)
      .filter(({ machines }) => machines === 3)
      .reduce((sum, { startMs, endMs }) => sum + endMs - startMs + ACCURACY_MS, 0);
  }

  #wrong(): readonly string[] {
    return this.#stopped.flatMap(({ slug, pingStartMs, upAtMs }) => {
      const events = this.#events(slug);
      const [down] = events;
      const most = upAtMs === null ? 1 : 2;
      return [
        ...(events.length > most ? [`${events.length} events of ${slug}, at most ${most}`] : []),
        ...(down !== undefined && down.atMs < pingStartMs + DOWN_MS - EARLY_MS ? [`${slug} was down early`] : []),
      ];
    });
  }

  #falseAlarms(): readonly string[] {
    return Array.from({ length: STEADY }, (_, n) => `steady-${n}`)
      .filter((slug) => this.#events(slug).length > 0)
      .map((slug) => `${slug} caused ${this.#events(slug).length} events`);
  }
}
