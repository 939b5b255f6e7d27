import type { Level, Urgency } from '../../push.ts';
import type { SenderEvent } from './format.ts';

export type Weight = Pick<SenderEvent, 'level' | 'delivery_urgency'>;

const INFO = weight('info', 'standard');
const SUCCESS = weight('success', 'standard');
const WARNING = weight('warning', 'standard');
const ERROR = weight('error', 'standard');
const URGENT_WARNING = weight('warning', 'time_sensitive');
const URGENT_ERROR = weight('error', 'time_sensitive');

/**
 * What the words and numbers of other programs weigh: the one table, by scale and value.
 *
 * - `ntfy`: https://docs.ntfy.sh/publish/#message-priority
 * - `gotify`: from 8 on its app is loud, from 4 on it makes a sound. Proxmox VE sends 1, 3, 5 and 9 for info, notice,
 *   warning and error.
 * - `mail`: the numbers of X-Priority, the words of Importance and of Priority (RFC 4021).
 * - `severity`: the label of that name in Alertmanager and Grafana, by custom.
 * - `status`: of a group of alerts, where no severity says more.
 * - `tag`: ntfy's, where they show how something is.
 * - `apprise`: its types of notification.
 * - `outcome`: of builds and checks: GitHub's conclusions, Netdata's states.
 * - `colour`: Slack's names. Others are judged by their hue.
 */
const WEIGHTS = {
  ntfy: {
    1: INFO,
    2: INFO,
    3: INFO,
    4: URGENT_WARNING,
    5: URGENT_ERROR,
    min: INFO,
    low: INFO,
    default: INFO,
    high: URGENT_WARNING,
    max: URGENT_ERROR,
    urgent: URGENT_ERROR,
  },
  gotify: {
    0: INFO,
    1: INFO,
    2: INFO,
    3: INFO,
    4: WARNING,
    5: WARNING,
    6: WARNING,
    7: WARNING,
    8: URGENT_ERROR,
    9: URGENT_ERROR,
    10: URGENT_ERROR,
  },
  mail: {
    1: URGENT_ERROR,
    2: URGENT_WARNING,
    3: INFO,
    4: INFO,
    5: INFO,
    urgent: URGENT_ERROR,
    high: URGENT_WARNING,
    normal: INFO,
    low: INFO,
    'non-urgent': INFO,
  },
  severity: {
    critical: URGENT_ERROR,
    crit: URGENT_ERROR,
    page: URGENT_ERROR,
    emergency: URGENT_ERROR,
    fatal: URGENT_ERROR,
    disaster: URGENT_ERROR,
    error: ERROR,
    high: ERROR,
    major: ERROR,
    warning: WARNING,
    warn: WARNING,
    medium: WARNING,
    average: WARNING,
    minor: WARNING,
    info: INFO,
    information: INFO,
    informational: INFO,
    notice: INFO,
    low: INFO,
    none: INFO,
    debug: INFO,
  },
  status: { firing: ERROR, alerting: ERROR, no_data: WARNING, resolved: SUCCESS, ok: SUCCESS, paused: INFO },
  tag: {
    white_check_mark: SUCCESS,
    heavy_check_mark: SUCCESS,
    ballot_box_with_check: SUCCESS,
    green_circle: SUCCESS,
    tada: SUCCESS,
    partying_face: SUCCESS,
    warning: WARNING,
    yellow_circle: WARNING,
    orange_circle: WARNING,
    rotating_light: ERROR,
    red_circle: ERROR,
    x: ERROR,
    no_entry: ERROR,
    skull: ERROR,
    fire: ERROR,
  },
  apprise: { info: INFO, success: SUCCESS, warning: WARNING, failure: ERROR },
  outcome: {
    success: SUCCESS,
    succeeded: SUCCESS,
    passed: SUCCESS,
    up: SUCCESS,
    clear: SUCCESS,
    recovered: SUCCESS,
    failure: ERROR,
    failed: ERROR,
    timed_out: ERROR,
    down: ERROR,
  },
  colour: { good: SUCCESS, warning: WARNING, danger: ERROR },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Weight>>>>;

/** What a value weighs on a scale, whatever its case; undefined: it is not on it. */
export function weightOf(scale: keyof typeof WEIGHTS, value: string): Weight | undefined {
  const ofScale: Readonly<Record<string, Weight>> = WEIGHTS[scale];
  const name = value.trim().toLowerCase();
  return Object.hasOwn(ofScale, name) ? ofScale[name] : undefined;
}

/** What an event weighs that reports something well again. */
export const RECOVERED: Weight = SUCCESS;

/** What an event weighs of which nothing is known. */
export const PLAIN: Weight = INFO;

/**
 * What a message weighs of which a field says what `byField` is: programs that give all of them one priority say in their
 * text alone that something is well again, and then it is not urgent.
 */
export function weightOfText(text: string, byField: Weight | undefined): Weight {
  const begin = text.slice(0, STATED_WITHIN);
  if (UP.test(begin)) return SUCCESS;
  return byField ?? (DOWN.test(begin) ? ERROR : PLAIN);
}

/** What Apprise was given by `--notification-type`: of what it sends to ntfy and Mattermost, the icon alone has it. */
export function weightOfIcon(icon: string): Weight | undefined {
  return weightOf('apprise', /\/apprise-([a-z]{4,7})-[\dx]+\.png$/.exec(icon)?.[1] ?? '');
}

const STATED_WITHIN = 1_000;
/** Of Uptime Kuma, Healthchecks and Gatus; of mdadm and smartd, which mail failures alone or in these words. */
const DOWN =
  /\[🔴 Down\]|🔴 The check | has been triggered due to having failed |(?:DegradedArray|DeviceDisappeared|Fail|FailSpare) event on |SMART error \(/u;
/** The same, where there is such; Netdata's begin so. */
const UP = /\[✅ Up\]|🟢 The check | has been resolved after passing successfully |^CLEAR, /u;

/** What a colour as `#2eb886` weighs, by its hue: red, yellow and orange, green; undefined: any other. */
export function weightOfHue(colour: string): Weight | undefined {
  const digits = /^#?([0-9a-f]{6})$/i.exec(colour.trim())?.[1];
  if (digits === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = [...Buffer.from(digits, 'hex')];
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (range < MIN_RANGE) return undefined;
  if (most === green) return SUCCESS;
  if (most === blue) return undefined;
  return (green - blue) / range > ORANGE ? WARNING : ERROR;
}

/** Of 255: a colour with less is a grey. */
const MIN_RANGE = 48;
/** Where red ends, in sixths of the circle of hues: at 20 of 360 degrees. */
const ORANGE = 1 / 3;

function weight(level: Level, delivery_urgency: Urgency): Weight {
  return { level, delivery_urgency };
}
