import type { Posted } from './client.ts';
import { type LifeScene, repeatedly, type Strand } from './life.ts';
import type { LifeWebhook } from './life-webhook.ts';
import { tally } from './tally.ts';

interface Scheduled extends Posted {
  /** A moment of `performance.now()`. */
  readonly sendAtMs: number;
}

const CHANNEL = 'later';
const POST_EVERY_MS = 3_000;
const AHEAD_MS = { least: 10_000, most: 70_000 };
const EARLY_MS = 250;
const LOOK_EVERY_MS = 500;
const SENT_WITHIN_MS = 60_000;

/** Events with `send_at`. */
export class LifeLater implements Strand {
  readonly #scene: LifeScene;
  readonly #webhook: LifeWebhook;
  readonly #phone: string;
  readonly #scheduled: Scheduled[] = [];

  private constructor(scene: LifeScene, webhook: LifeWebhook, phone: string) {
    this.#scene = scene;
    this.#webhook = webhook;
    this.#phone = phone;
  }

  static async make(scene: LifeScene, webhook: LifeWebhook): Promise<LifeLater> {
    await scene.addChannel(CHANNEL);
    return new LifeLater(scene, webhook, await scene.addPhone([CHANNEL]));
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatedly(POST_EVERY_MS, signal, async () => {
      const aheadMs = AHEAD_MS.least + Math.random() * (AHEAD_MS.most - AHEAD_MS.least);
      const sendAtMs = performance.now() + aheadMs;
      const send_at = new Date(Date.now() + aheadMs).toISOString();
      const posted = await this.#scene.sender.post({ channel: CHANNEL, send_at });
      this.#scheduled.push({ ...posted, sendAtMs });
    });
    const endMs = performance.now() + AHEAD_MS.most + SENT_WITHIN_MS;
    while (this.#missing() > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  results() {
    const { world, pulse } = this.#scene;
    const promises = this.#scheduled.map(({ publicId, sendAtMs, atMs }) => ({
      what: `the scheduled ${publicId}`,
      dueMs: Math.max(sendAtMs, atMs),
      arrivedMs: this.#arrivedMs(publicId),
    }));
    return [tally('`send_at`', promises, { timeline: world.timeline, pulse, wrong: this.#early() })];
  }

  #arrivedMs(publicId: string): number | undefined {
    const arrivedMs = this.#scene.arrivedMs(this.#phone, publicId);
    if (arrivedMs !== undefined) this.#webhook.expect(`event.settled ${publicId}`, arrivedMs);
    return arrivedMs;
  }

  #missing(): number {
    return this.#scheduled.filter(({ publicId }) => this.#scene.arrivedMs(this.#phone, publicId) === undefined).length;
  }

  #early(): readonly string[] {
    return this.#scheduled
      .filter(({ publicId, sendAtMs }) => (this.#arrivedMs(publicId) ?? Infinity) < sendAtMs - EARLY_MS)
      .map(({ publicId }) => `the scheduled ${publicId} came early`);
  }
}
