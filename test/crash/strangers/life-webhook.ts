import { WEBHOOK_KINDS } from '../../../src/contract/webhooks.ts';
import { granted } from '../../support/refusals.ts';
import { LIFE, type LifeScene, type Strand } from './life.ts';
import { LATE_MS, tally } from './tally.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
/** How long a server that died, or that is frozen, has the endpoint for itself. */
const BUSY_MS = 60_000;
const LAST_MS = 90_000;
const LOOK_EVERY_MS = 500;

/** An endpoint that gets a message about each alert, heartbeat and event. */
export class LifeWebhook implements Strand {
  readonly #scene: LifeScene;
  /** From when on each message is due, by its kind and object. */
  readonly #expected = new Map<string, number>();
  readonly #received = new Map<string, number>();
  #copies = 0;

  private constructor(scene: LifeScene) {
    this.#scene = scene;
    const ids = new Set<unknown>();
    scene.world.receiver.answer = (response, { body, headers }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { id?: string; slug?: string } };
      const name = `${type} ${data.slug ?? data.id}`;
      if (!this.#received.has(name)) this.#received.set(name, performance.now());
      if (ids.has(headers['webhook-id'])) this.#copies += 1;
      ids.add(headers['webhook-id']);
      response.writeHead(204).end();
    };
  }

  static async make(scene: LifeScene): Promise<LifeWebhook> {
    const { team, receiver } = scene.world;
    const hook = { workspace: LIFE, url: receiver.url, kinds: WEBHOOK_KINDS, secret: SECRET };
    granted(await team.store.createWebhook(hook));
    return new LifeWebhook(scene);
  }

  /** A message of this kind about this object is due from then on. */
  expect(name: string, fromMs: number): void {
    if (!this.#expected.has(name)) this.#expected.set(name, fromMs);
  }

  async run(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    const endMs = performance.now() + LAST_MS;
    while (this.#missing() > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Comes last: the others say what was due. */
  results() {
    const { world, pulse } = this.#scene;
    const promises = [...this.#expected].map(([name, dueMs]) => ({
      what: `the message ${name}`,
      dueMs,
      arrivedMs: this.#received.get(name),
      allowedMs: BUSY_MS + LATE_MS,
    }));
    return [tally(`webhook messages, ${this.#copies} twice`, promises, { timeline: world.timeline, pulse })];
  }

  #missing(): number {
    return [...this.#expected.keys()].filter((name) => !this.#received.has(name)).length;
  }
}
