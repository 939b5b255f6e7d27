import type { Posted } from './client.ts';
import { LIFE, type LifeScene, repeatedly, type Strand } from './life.ts';
import type { LifeWebhook } from './life-webhook.ts';
import { tally } from './tally.ts';

interface Told extends Posted {
  readonly channel: 'nights' | 'news';
  readonly isUrgent: boolean;
  /** When the answer said that it is marked as read; null: it never was to be. */
  readAtMs: number | null;
}

interface Listed {
  readonly public_id: string;
  readonly unread: boolean;
}

const ALWAYS = { from: '00:00', to: '00:00', timezone: 'UTC' };
const POST_EVERY_MS = 2_500;
const MARK_EVERY_MS = 5_000;
const PAGE = 100;

/** A channel in its quiet hours, one that a phone has muted, and a person who marks every second event as read. */
export class LifeNights implements Strand {
  readonly #scene: LifeScene;
  readonly #webhook: LifeWebhook;
  readonly #phone: string;
  readonly #muted: string;
  readonly #told: Told[] = [];
  /** Marks that a later answer did not have, or that nobody set. */
  readonly #wrongMarks: string[] = [];
  #marksSeen = 0;

  private constructor(scene: LifeScene, webhook: LifeWebhook, phone: string, muted: string) {
    this.#scene = scene;
    this.#webhook = webhook;
    this.#phone = phone;
    this.#muted = muted;
  }

  static async make(scene: LifeScene, webhook: LifeWebhook): Promise<LifeNights> {
    await scene.addChannel('nights', { quiet: ALWAYS });
    await scene.addChannel('news');
    const phone = await scene.addPhone(['nights', 'news']);
    return new LifeNights(scene, webhook, phone, await scene.addPhone(['news'], true));
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      repeatedly(POST_EVERY_MS, signal, () => this.#post()),
      repeatedly(MARK_EVERY_MS, signal, () => this.#mark()),
    ]);
    await this.#look();
  }

  results() {
    const { world, pulse } = this.#scene;
    const with_ = { timeline: world.timeline, pulse };
    const arrivals = (channel: Told['channel']) =>
      this.#told
        .filter((told) => told.channel === channel)
        .map(({ publicId, atMs }) => {
          const arrivedMs = this.#scene.arrivedMs(this.#phone, publicId);
          if (arrivedMs !== undefined) this.#webhook.expect(`event.settled ${publicId}`, Math.max(arrivedMs, atMs));
          return { what: `${publicId} of ${channel}`, dueMs: atMs, arrivedMs };
        });
    return [
      tally('quiet hours', arrivals('nights'), { ...with_, wrong: this.#wrongSounds() }),
      tally('beside a mute', arrivals('news'), { ...with_, wrong: this.#despiteMute() }),
      tally(`read marks, seen ${this.#marksSeen} times`, this.#marks(), { ...with_, wrong: this.#wrongMarks }),
    ];
  }

  async #post(): Promise<void> {
    const nth = this.#told.length;
    const channel = nth % 3 === 0 ? 'news' : 'nights';
    const isUrgent = nth % 3 === 1;
    const delivery_urgency = isUrgent ? 'time_sensitive' : 'standard';
    const posted = await this.#scene.sender.post({ channel, delivery_urgency });
    this.#told.push({ ...posted, channel, isUrgent, readAtMs: null });
  }

  /** Marks every second one as read. */
  async #mark(): Promise<void> {
    const marked = this.#told.filter((told, nth) => nth % 2 === 0 && told.readAtMs === null);
    if (marked.length > 0) {
      await this.#scene.person.request('PUT', '/api/v1/inbox/read', { events: marked.map((told) => told.publicId) });
      for (const told of marked) told.readAtMs = performance.now();
    }
    await this.#look();
  }

  /** Compares the newest page with the marks. */
  async #look(): Promise<void> {
    const before = new Map(this.#told.map(({ publicId, readAtMs }) => [publicId, readAtMs !== null]));
    const query = new URLSearchParams({ workspace: LIFE, limit: String(PAGE) });
    const { body } = await this.#scene.person.request('GET', `/api/v1/events?${query}`);
    for (const { public_id, unread } of body.events as readonly Listed[]) {
      const isMarked = before.get(public_id);
      if (isMarked === undefined) continue;
      this.#marksSeen += 1;
      if (isMarked === unread) this.#wrongMarks.push(`${public_id} is ${unread ? 'unread' : 'read'}`);
    }
  }

  /** Each mark is kept at once, or `#wrongMarks` names it. */
  #marks() {
    return this.#told.flatMap(({ publicId, readAtMs }) =>
      readAtMs === null ? [] : [{ what: `the mark of ${publicId}`, dueMs: readAtMs, arrivedMs: readAtMs }],
    );
  }

  #wrongSounds(): readonly string[] {
    const nights = new Map(
      this.#told.filter(({ channel }) => channel === 'nights').map((told) => [told.publicId, told]),
    );
    return this.#scene.pushes().flatMap(({ eventId, isQuiet }) => {
      const told = nights.get(eventId);
      return told === undefined || told.isUrgent !== isQuiet ? [] : [`${eventId} is ${isQuiet ? 'quiet' : 'loud'}`];
    });
  }

  #despiteMute(): readonly string[] {
    const pushes = this.#scene.pushes().filter(({ token }) => token === this.#muted).length;
    return pushes > 0 ? [`${pushes} pushes to a phone that muted the channel`] : [];
  }
}
