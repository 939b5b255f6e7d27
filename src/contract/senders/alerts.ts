import { hash } from 'node:crypto';
import type { JsonObject } from '../../values/json.ts';
import { fromTimestamp } from '../../values/timestamp.ts';
import { type Body, Cutter, textOf } from './bodies.ts';
import { type Notification, occurredAt, type Publication, type SenderRequest } from './format.ts';
import { RECOVERED, type Weight, WRONG, weightOf, weightOfWord } from './levels.ts';
import { textsOf, textsOfOther } from './texts.ts';

/** A notification about a group of alerts, from Alertmanager or Grafana. */
export interface AlertGroup {
  readonly body: JsonObject;
  readonly isResolved: boolean;
  /** The first of them. */
  readonly alerts: readonly Alert[];
  /** Number of further alerts, here or at the source. */
  readonly more: number;
  readonly groupLabels: Texts;
  readonly commonLabels: Texts;
  readonly commonAnnotations: Texts;
  readonly weight: Weight;
  /** Names of lists cut to the first entries. */
  readonly cut: readonly string[];
  /** From here on, a missing text is empty. */
  readonly key: string;
  readonly externalUrl: string;
}

interface Alert {
  readonly body: JsonObject;
  readonly isResolved: boolean;
  readonly labels: Texts;
  readonly annotations: Texts;
}

type Texts = ReadonlyMap<string, string>;

/** Null: it is no such notification. */
function alertGroupIn({ fields: body }: Body): AlertGroup | null {
  if (!(Array.isArray(body.alerts) || typeof body.groupKey === 'string')) return null;
  const lists = new Cutter(MOST_VALUES);
  const status = textOf(body.status);
  const groupLabels = lists.fields('labels', body.groupLabels, MOST_LABELS);
  const commonLabels = lists.fields('labels', body.commonLabels, MOST_LABELS);
  const commonAnnotations = lists.fields('annotations', body.commonAnnotations, MOST_LABELS);
  const alerts = lists.objects('alerts', body.alerts, MOST_ALERTS).map((alert) => alertOf(alert, lists));
  return {
    body,
    isResolved: status === 'resolved',
    alerts,
    more:
      numberIn(body.truncatedAlerts) + (Array.isArray(body.alerts) ? Math.max(0, body.alerts.length - MOST_ALERTS) : 0),
    groupLabels,
    commonLabels,
    commonAnnotations,
    weight: status === 'resolved' ? RECOVERED : weightIn(status, commonLabels, alerts),
    key: textOf(body.groupKey),
    externalUrl: textOf(body.externalURL),
    cut: lists.cut,
  };
}

/** Returns how many alerts `max_alerts` has left out. */
function numberIn(truncated: unknown): number {
  const count = Number(textOf(truncated).slice(0, 20));
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** `[FIRING:2] InstanceDown`, as Alertmanager's own templates begin. */
export function titleOf({ body, isResolved, alerts, more, groupLabels, commonLabels }: AlertGroup): string {
  const firing = alerts.filter((alert) => !alert.isResolved).length + more;
  const grouped = [...groupLabels.values()].join(' ');
  const name = commonLabels.get('alertname') || grouped || textOf(body.receiver) || 'Alerts';
  return `[${isResolved ? 'RESOLVED' : `FIRING:${firing}`}] ${name}`;
}

/** Returns a line for each alert, firing ones first. */
export function alertLines({ isResolved, alerts, more, commonLabels }: AlertGroup): string {
  const [only, another] = alerts;
  if (only !== undefined && another === undefined) return storyOf(only).join('\n');
  const sorted = [...alerts.filter((alert) => !alert.isResolved), ...alerts.filter((alert) => alert.isResolved)];
  const lines = sorted.slice(0, MOST_LINES).map((alert) => {
    const mark = alert.isResolved && !isResolved ? 'resolved: ' : '';
    return `${mark}${storyOf(alert)[0] ?? ''}${differences(alert, commonLabels)}`;
  });
  const unnamed = sorted.length - lines.length + more;
  return [...lines, ...(unnamed > 0 ? [`and ${unnamed} more`] : [])].join('\n');
}

/** Tells whether any alert explains itself in words. */
export function hasStory({ alerts }: AlertGroup): boolean {
  return alerts.some(({ annotations }) => STORY.some((name) => annotations.has(name)));
}

/** Alertmanager repeats every four hours by default. */
const REPEATED_AFTER_MS = 300_000;
/** Without times, a new firing looks like a retry. */
const TRIED_FOR_MS = 40_000;

/**
 * Returns a notification's identity: its group and the alerts' states. Both Alertmanagers of a pair give the same, even
 * across time zones. Undefined: no group.
 */
function notificationOf({ body, key, alerts, more }: AlertGroup): Notification | undefined {
  if (key === '') return undefined;
  const ofGroup = [key, ...[body.status, body.receiver, body.truncatedAlerts].map(textOf)];
  if (alerts.length === 0 || !alerts.every(isDated)) {
    const standing = alerts.map(({ body: alert, labels }) => [
      ...[alert.fingerprint, alert.status, alert.startsAt, alert.endsAt].map(textOf),
      ...labels.entries(),
    ]);
    return { key: digestOf([ofGroup, textOf(body.notification_reason), standing]), sameForMs: TRIED_FOR_MS };
  }
  const standing = alerts.map((alert) => [fingerprintOf(alert), alert.isResolved, beganMs(alert)].join(' '));
  const timesOf = (which: readonly Alert[], time: (alert: Alert) => number | null) =>
    Object.fromEntries(which.map((alert) => [fingerprintOf(alert), time(alert) ?? 0]));
  const [ended, firing] = [alerts.filter((alert) => alert.isResolved), alerts.filter((alert) => !alert.isResolved)];
  return {
    key: digestOf([ofGroup, standing.sort()]),
    sameForMs: REPEATED_AFTER_MS,
    group: {
      key: digestOf([key, textOf(body.receiver)]),
      firing: more > 0 ? null : timesOf(firing, beganMs),
      ended: timesOf(ended, changedMs),
    },
  };
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts));
}

function isDated(alert: Alert): boolean {
  return fingerprintOf(alert) !== '' && beganMs(alert) !== null;
}

function fingerprintOf({ body }: Alert): string {
  return textOf(body.fingerprint).slice(0, MOST_FINGERPRINT);
}

function beganMs({ body }: Alert): number | null {
  return fromTimestamp(textOf(body.startsAt));
}

/** A format's words for a group; empty: nothing. */
export interface AlertText {
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly image: string;
}

export async function publishAlerts(
  request: SenderRequest,
  textFor: (group: AlertGroup) => AlertText | Promise<AlertText>,
): Promise<Publication | null> {
  const channel = request.params.channel ?? '';
  const group = alertGroupIn(request.body);
  if (group === null) {
    const texts = textsOfOther(request.body);
    return texts && { event: { channel, ...texts, ...weightOfOther(request.body) }, fallback: WRONG };
  }
  const { title, text, url, image } = await textFor(group);
  const texts = textsOf(title, text);
  const notification = notificationOf(group);
  return (
    texts && {
      event: {
        channel,
        ...texts,
        ...group.weight,
        ...(url !== '' && { url }),
        ...(image !== '' && { image_url: image }),
        ...(group.key !== '' && { collapse_key: group.key }),
        ...occurredAt(group.alerts.map(changedMs)),
      },
      fallback: WRONG,
      cut: group.cut,
      ...(notification !== undefined && { notification }),
    }
  );
}

function weightOfOther({ fields: { status, state, severity } }: Body): Weight {
  const byState = [status, state].map((word) => weightOfState(textOf(word))).find(Boolean);
  return byState ?? weightOfWord(textOf(severity)) ?? {};
}

/** "Firing" means no level, so the format's default applies. */
function weightOfState(state: string): Weight | undefined {
  return /^firing$/i.test(state) ? undefined : weightOfWord(state);
}

/** More than are shown, yet quick to read. */
const MOST_ALERTS = 1_000;
const MOST_LABELS = 64;
/** Enough for a thousand alerts with fifty labels and annotations each. */
const MOST_VALUES = 50_000;
const MOST_LINES = 50;
const MOST_FINGERPRINT = 32;
const STORY = ['summary', 'description', 'message'];

function alertOf(body: JsonObject, lists: Cutter): Alert {
  return {
    body,
    isResolved: textOf(body.status) === 'resolved',
    labels: lists.fields('labels', body.labels, MOST_LABELS),
    annotations: lists.fields('annotations', body.annotations, MOST_LABELS),
  };
}

/** Returns the group's severity, else the worst firing alert's. */
function weightIn(status: string, commonLabels: Texts, alerts: readonly Alert[]): Weight {
  const common = weightOf('severity', commonLabels.get('severity') ?? '');
  const firing = alerts.filter((alert) => !alert.isResolved);
  const weights = firing.flatMap(({ labels }) => weightOf('severity', labels.get('severity') ?? '') ?? []);
  const worst = weights.sort((a, b) => rank(b) - rank(a))[0];
  return common ?? worst ?? weightOfState(status) ?? {};
}

function rank({ level, delivery_urgency: urgency }: Weight): number {
  return ['success', 'info', 'warning', 'error'].indexOf(level ?? '') * 2 + (urgency === 'time_sensitive' ? 1 : 0);
}

/**
 * Returns when the alert began to fire or, if resolved, ended. Firing alerts' `endsAt` is absent or a guess.
 * https://prometheus.io/docs/alerting/latest/notifications/#alert
 */
function changedMs({ body, isResolved }: Alert): number | null {
  return fromTimestamp(textOf(isResolved ? body.endsAt : body.startsAt));
}

/** Returns an alert's annotations, else labels. */
function storyOf({ annotations, labels }: Alert): readonly string[] {
  const story = STORY.flatMap((name) => annotations.get(name)?.trim() || []);
  if (story.length > 0) return [...new Set(story)];
  return [[...labels].map(([name, value]) => `${name}=${value}`).join(', ')];
}

/** Returns labels that distinguish an alert in the group. */
function differences({ labels }: Alert, common: Texts): string {
  const own = [...labels].filter(([name]) => !common.has(name)).map(([, value]) => value);
  return own.length === 0 ? '' : ` (${own.join(', ')})`;
}
