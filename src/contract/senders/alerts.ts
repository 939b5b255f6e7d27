import { fromTimestamp } from '../../timestamp.ts';
import { type JsonObject, jsonObject, objectOf, objectsIn, textOf } from './bodies.ts';
import type { AcceptedEvent, Publication, SenderRequest } from './format.ts';
import { type Weight, weightOf } from './levels.ts';
import { textsOf, textsOfOther } from './texts.ts';
import { occurredAt } from './times.ts';

/** A notification about a group of alerts, as Alertmanager has it and Grafana has taken over. */
export interface AlertGroup {
  readonly body: JsonObject;
  readonly isResolved: boolean;
  readonly alerts: readonly Alert[];
  readonly weight: Weight;
  /** In what follows an empty text where there is none. */
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
function alertGroupIn(text: string): AlertGroup | null {
  const body = jsonObject(text);
  if (body === null || !(Array.isArray(body.alerts) || typeof body.groupKey === 'string')) return null;
  const alerts = objectsIn(body.alerts).map(alertOf);
  const status = textOf(body.status);
  return {
    body,
    isResolved: status === 'resolved',
    alerts,
    weight: status === 'resolved' ? RESOLVED : weightIn(body, alerts),
    key: textOf(body.groupKey),
    externalUrl: textOf(body.externalURL),
  };
}

/** `[FIRING:2] InstanceDown`, as Alertmanager's own templates begin. */
export function titleOf({ body, isResolved, alerts }: AlertGroup): string {
  const firing = alerts.filter((alert) => !alert.isResolved).length + (Number(textOf(body.truncatedAlerts)) || 0);
  const grouped = [...textsOfObject(body.groupLabels).values()].join(' ');
  const name = textsOfObject(body.commonLabels).get('alertname') || grouped || textOf(body.receiver) || 'Alerts';
  return `[${isResolved ? 'RESOLVED' : `FIRING:${firing}`}] ${name}`;
}

/** One line for each alert, those that fire first. */
export function linesOf({ body, isResolved, alerts }: AlertGroup): string {
  const [only, another] = alerts;
  if (only !== undefined && another === undefined) return storyOf(only).join('\n');
  const common = textsOfObject(body.commonLabels);
  const sorted = [...alerts.filter((alert) => !alert.isResolved), ...alerts.filter((alert) => alert.isResolved)];
  const lines = sorted.slice(0, MOST_LINES).map((alert) => {
    const mark = alert.isResolved && !isResolved ? 'resolved: ' : '';
    return `${mark}${storyOf(alert)[0] ?? ''}${differences(alert, common)}`;
  });
  const more = sorted.length - lines.length + (Number(textOf(body.truncatedAlerts)) || 0);
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** Whether some alert says in words what it means. */
export function tellsStory({ alerts }: AlertGroup): boolean {
  return alerts.some(({ annotations }) => STORY.some((name) => annotations.has(name)));
}

/** The same in each try to send this notification: the group, and how its alerts stand. */
function notificationOf({ body, key, alerts }: AlertGroup): string | undefined {
  if (key === '') return undefined;
  const standing = alerts.map(({ body: alert, labels }) => [
    ...[alert.fingerprint, alert.status, alert.startsAt, alert.endsAt].map(textOf),
    ...labels.entries(),
  ]);
  const ofGroup = [body.status, body.receiver, body.notification_reason, body.truncatedAlerts].map(textOf);
  return JSON.stringify([key, ofGroup, standing]);
}

/** How a format tells of a group. Empty texts: nothing. */
export interface Told {
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly image: string;
}

/** What a request asks for in whose body there is such a notification, or something else with a text in it. */
export function publishAlerts(request: SenderRequest, tell: (group: AlertGroup) => Told): Publication | null {
  const channel = request.params.channel ?? '';
  const group = alertGroupIn(request.body);
  if (group === null) {
    const texts = textsOfOther(request.body);
    return texts && { event: { channel, ...texts, ...weightOfOther(request.body) }, answer };
  }
  const { title, text, url, image } = tell(group);
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
      ...(notification !== undefined && { notification }),
      answer,
    }
  );
}

function answer({ event }: AcceptedEvent): object {
  return { event };
}

/** What a body weighs that is something else. */
function weightOfOther(text: string): Weight {
  const { status, state, severity } = jsonObject(text) ?? {};
  const said = [weightOf('status', textOf(status)), weightOf('status', textOf(state))];
  return said.find(Boolean) ?? weightOf('severity', textOf(severity)) ?? FIRING;
}

const MOST_LINES = 50;
const STORY = ['summary', 'description', 'message'];
const FIRING: Weight = { level: 'error', delivery_urgency: 'standard' };
const RESOLVED: Weight = { level: 'success', delivery_urgency: 'standard' };

function alertOf(body: JsonObject): Alert {
  return {
    body,
    isResolved: textOf(body.status) === 'resolved',
    labels: textsOfObject(body.labels),
    annotations: textsOfObject(body.annotations),
  };
}

/** The severity of the group, else the worst of its alerts that fire. */
function weightIn({ commonLabels, status }: JsonObject, alerts: readonly Alert[]): Weight {
  const common = weightOf('severity', textsOfObject(commonLabels).get('severity') ?? '');
  const firing = alerts.filter((alert) => !alert.isResolved);
  const each = firing.flatMap(({ labels }) => weightOf('severity', labels.get('severity') ?? '') ?? []);
  const worst = each.sort((one, other) => rank(other) - rank(one))[0];
  return common ?? worst ?? weightOf('status', textOf(status)) ?? FIRING;
}

function rank({ level, delivery_urgency: urgency }: Weight): number {
  return ['success', 'info', 'warning', 'error'].indexOf(level) * 2 + (urgency === 'time_sensitive' ? 1 : 0);
}

/**
 * When it began to fire or, once it is resolved, ended; `endsAt` of one that fires is none or a guess.
 * https://prometheus.io/docs/alerting/latest/notifications/#alert
 */
function changedMs({ body, isResolved }: Alert): number | null {
  return fromTimestamp(textOf(isResolved ? body.endsAt : body.startsAt));
}

/** What an alert's annotations say, else its labels. */
function storyOf({ annotations, labels }: Alert): readonly string[] {
  const said = STORY.flatMap((name) => annotations.get(name)?.trim() || []);
  if (said.length > 0) return [...new Set(said)];
  return [[...labels].map(([name, value]) => `${name}=${value}`).join(', ')];
}

/** What tells one alert of a group from the others. */
function differences({ labels }: Alert, common: Texts): string {
  const own = [...labels].filter(([name]) => !common.has(name)).map(([, value]) => value);
  return own.length === 0 ? '' : ` (${own.join(', ')})`;
}

function textsOfObject(value: unknown): Texts {
  return new Map(
    Object.entries(objectOf(value)).flatMap(([name, text]) => {
      const one = textOf(text);
      return one === '' ? [] : [[name, one] as const];
    }),
  );
}
