import { type Posted, rest } from './client.ts';
import { LIFE, type LifeScene, type Strand } from './life.ts';
import type { LifeWebhook } from './life-webhook.ts';
import { LATE_MS, type Promised, tally } from './tally.ts';

interface AnAlert extends Posted {
  readonly leads: string;
  /** When its acknowledgement was asked for and answered. */
  ackStartMs: number;
  ackAtMs: number;
  resolved: Posted | null;
}

const CHANNELS = 6;
const REPEAT_MS = 60_000;
const ESCALATES_MS = 60_000;
/** Long enough for three reminders. */
const OPEN_MS = 200_000;
/** Until the reminder after the acknowledgement would have come. */
const SILENT_MS = REPEAT_MS + LATE_MS;
const INSIST = { repeat: REPEAT_MS / 1_000, until: 3_000 };
/** A push that is being written when somebody acknowledges still arrives. */
const WRITTEN_MS = 1_250;
const EARLY_MS = 500;

/** Alerts that repeat and escalate, until somebody acknowledges them and their sender resolves them. */
export class LifeAlerts implements Strand {
  readonly #alerts: AnAlert[] = [];
  readonly #scene: LifeScene;
  readonly #webhook: LifeWebhook;
  readonly #phone: string;
  readonly #leadsPhone: string;

  private constructor(scene: LifeScene, webhook: LifeWebhook, phone: string, leadsPhone: string) {
    this.#scene = scene;
    this.#webhook = webhook;
    this.#phone = phone;
    this.#leadsPhone = leadsPhone;
  }

  static async make(scene: LifeScene, webhook: LifeWebhook): Promise<LifeAlerts> {
    const all = Array.from({ length: CHANNELS }, (_, n) => n);
    for (const n of all) {
      await scene.addChannel(`leads-${n}`);
      const escalate = { after: ESCALATES_MS / 1_000, channel: `leads-${n}` };
      await scene.addChannel(`insists-${n}`, { insist: { ...INSIST, escalate } });
    }
    const phone = await scene.addPhone(all.map((n) => `insists-${n}`));
    return new LifeAlerts(scene, webhook, phone, await scene.addPhone(all.map((n) => `leads-${n}`)));
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from({ length: CHANNELS }, async (_, n) => {
        // So that reminders are due at all times.
        await rest((n * REPEAT_MS) / CHANNELS, signal);
        while (!signal.aborted) await this.#anAlert(n, signal);
      }),
    );
  }

  results() {
    return [
      this.#tally('alerts', this.#first()),
      this.#tally('reminders', this.#reminders(), this.#wrong()),
      this.#tally('escalations', this.#escalations()),
    ];
  }

  async #anAlert(n: number, signal: AbortSignal): Promise<void> {
    const { sender, person } = this.#scene;
    const event = { channel: `insists-${n}`, collapse_key: `disk-${n}` };
    const posted = await sender.post({ ...event, level: 'error', delivery_urgency: 'time_sensitive' });
    const alert: AnAlert = {
      ...posted,
      leads: `leads-${n}`,
      ackStartMs: Number.POSITIVE_INFINITY,
      ackAtMs: Number.POSITIVE_INFINITY,
      resolved: null,
    };
    this.#alerts.push(alert);
    this.#webhook.expect(`alert.opened ${posted.publicId}`, posted.atMs);
    await rest(OPEN_MS, signal);
    alert.ackStartMs = performance.now();
    await person.request('POST', `/api/v1/events/${posted.publicId}/acknowledge`, {});
    alert.ackAtMs = performance.now();
    this.#webhook.expect(`alert.acknowledged ${posted.publicId}`, alert.ackAtMs);
    await rest(SILENT_MS, signal);
    alert.resolved = await sender.post({ ...event, level: 'success' });
    this.#webhook.expect(`alert.resolved ${posted.publicId}`, alert.resolved.atMs);
  }

  #tally(kind: string, promises: readonly Promised[], wrong: readonly string[] = []) {
    const { timeline } = this.#scene.world;
    return tally(`${kind}`, promises, { timeline, pulse: this.#scene.pulse, wrong });
  }

  /** The event that opened it, and the one that resolved it. */
  #first(): readonly Promised[] {
    return this.#alerts.flatMap(({ resolved, ...opened }) =>
      [opened, ...(resolved === null ? [] : [resolved])].map(({ publicId, atMs }) => ({
        what: `the event ${publicId} of an alert`,
        dueMs: atMs,
        arrivedMs: this.#scene.arrivedMs(this.#phone, publicId),
      })),
    );
  }

  /** One that was due a repeat before the acknowledgement has had all its time. */
  #reminders(): readonly Promised[] {
    return this.#alerts.flatMap(({ publicId, atMs, ackStartMs }) => {
      const count = Math.floor((ackStartMs - atMs) / REPEAT_MS);
      return Array.from({ length: Math.min(count, OPEN_MS / REPEAT_MS) }, (_, index) => ({
        what: `reminder ${index + 1} of ${publicId}`,
        dueMs: atMs + (index + 1) * REPEAT_MS,
        arrivedMs: this.#openPush(this.#phone, publicId, index + 1),
        allowedMs: LATE_MS + REPEAT_MS,
      })).filter(({ dueMs, arrivedMs }) => arrivedMs !== undefined || dueMs + REPEAT_MS < ackStartMs);
    });
  }

  #escalations(): readonly Promised[] {
    return this.#alerts
      .map(({ publicId, atMs, ackStartMs }) => ({
        what: `the escalation of ${publicId}`,
        dueMs: atMs + ESCALATES_MS,
        arrivedMs: this.#openPush(this.#leadsPhone, publicId),
        ackStartMs,
      }))
      .filter(({ dueMs, arrivedMs, ackStartMs }) => arrivedMs !== undefined || dueMs + LATE_MS < ackStartMs);
  }

  #openPush(token: string, alertId: string, reminder?: number): number | undefined {
    return this.#scene
      .pushes()
      .find(
        (push) =>
          push.token === token &&
          push.alert?.id === alertId &&
          push.alert.isOpen &&
          (reminder === undefined || push.alert.reminder === reminder),
      )?.atMs;
  }

  #wrong(): readonly string[] {
    const alerts = new Map(this.#alerts.map((alert) => [alert.publicId, alert]));
    return this.#scene.pushes().flatMap(({ alert, atMs, workspace }) => {
      const found = workspace === LIFE && alert?.isOpen ? alerts.get(alert.id) : undefined;
      if (alert === null || found === undefined) return [];
      const dueMs = found.startMs + alert.reminder * REPEAT_MS;
      return [
        ...(atMs > found.ackAtMs + WRITTEN_MS
          ? [`reminder ${alert.reminder} of ${alert.id} came ${Math.round(atMs - found.ackAtMs)} ms after the answer`]
          : []),
        ...(atMs < dueMs - EARLY_MS
          ? [`reminder ${alert.reminder} of ${alert.id} came ${Math.round(dueMs - atMs)} ms early`]
          : []),
      ];
    });
  }
}
