import type { Level, Urgency } from '../../push.ts';
import type { SenderEvent } from './format.ts';

/** Absent parts take the key's defaults, then those of the format. */
export type Weight = Pick<SenderEvent, 'level' | 'delivery_urgency'>;

const INFO: Weight = { level: 'info' };
const WARNING: Weight = { level: 'warning' };
const ERROR: Weight = { level: 'error' };
const SUCCESS = weight('success', 'standard');
const CALM_INFO = weight('info', 'standard');
const CALM_WARNING = weight('warning', 'standard');
const URGENT_WARNING = weight('warning', 'time_sensitive');
const URGENT_ERROR = weight('error', 'time_sensitive');

/**
 * Weights of other programs' values by scale. Formats' defaults are missing: many programs always send them (ntfy's 3,
 * X-Priority 3).
 * - `ntfy`: https://docs.ntfy.sh/publish/#message-priority
 * - `gotify`: the app is loud from 8, sounds from 4. Proxmox VE sends 1, 3, 5 and 9 for info, notice, warning and
 * error.
 * - `mail`: X-Priority's numbers; words of Importance and Priority (RFC 4021)
 * - `severity`: customary label in Alertmanager and Grafana
 * - `status`: of a group without severity
 * - `tag`: ntfy's state tags
 * - `apprise`: notification types
 * - `outcome`: GitHub's conclusions, Jenkins' results, Netdata's and Nagios' states
 * - `colour`: Slack's names; others by hue
 */
const WEIGHTS = {
  ntfy: weighed([CALM_INFO, '1 2 min low'], [URGENT_WARNING, '4 high'], [URGENT_ERROR, '5 max urgent']),
  gotify: weighed([CALM_INFO, '0 1 2 3'], [CALM_WARNING, '4 5 6 7'], [URGENT_ERROR, '8 9 10']),
  mail: weighed([CALM_INFO, '4 5 low non-urgent'], [URGENT_WARNING, '2 high'], [URGENT_ERROR, '1 urgent']),
  severity: weighed(
    [URGENT_ERROR, 'critical crit page emergency fatal disaster'],
    [ERROR, 'error high major'],
    [WARNING, 'warning warn medium average minor'],
    [INFO, 'info information informational notice low none debug'],
  ),
  status: weighed([ERROR, 'firing alerting'], [WARNING, 'no_data'], [SUCCESS, 'resolved ok'], [INFO, 'paused']),
  tag: weighed(
    [SUCCESS, 'white_check_mark heavy_check_mark ballot_box_with_check green_circle tada partying_face'],
    [WARNING, 'warning yellow_circle orange_circle'],
    [ERROR, 'rotating_light red_circle x no_entry skull fire'],
  ),
  apprise: weighed([INFO, 'info'], [SUCCESS, 'success'], [WARNING, 'warning'], [ERROR, 'failure']),
  outcome: weighed(
    [SUCCESS, 'success succeeded passed up clear recovered recovery'],
    [WARNING, 'unstable'],
    [ERROR, 'failure failed startup_failure timed_out down problem'],
  ),
  colour: weighed([SUCCESS, 'good'], [WARNING, 'warning'], [ERROR, 'danger']),
} as const;

function weighed(...weights: readonly (readonly [Weight, words: string])[]): ReadonlyMap<string, Weight> {
  return new Map(weights.flatMap(([weight, words]) => words.split(' ').map((word) => [word, weight] as const)));
}

/** Returns a value's weight in any case; undefined: not on the scale. */
export function weightOf(scale: keyof typeof WEIGHTS, value: string): Weight | undefined {
  return WEIGHTS[scale].get(value.trim().toLowerCase());
}

export const RECOVERED: Weight = SUCCESS;

/** A fault of unknown severity. */
export const WRONG: Weight = ERROR;

/** Returns a word's weight on the first matching scale. */
export function weightOfWord(word: string): Weight | undefined {
  const scales = ['severity', 'status', 'apprise', 'outcome'] as const;
  return scales.map((scale) => weightOf(scale, word)).find((weight) => weight !== undefined);
}

/**
 * Returns a message's weight. `byField`: from the field. A recovery in the text is not urgent, since some programs give
 * all messages one priority.
 */
export function weightOfText(text: string, byField: Weight | undefined): Weight {
  const begin = text.slice(0, STATED_WITHIN);
  if (UP.test(begin)) return SUCCESS;
  if (byField !== undefined) return byField;
  const [headline = ''] = begin.split('\n', 1);
  if (DOWN.test(begin) || BAD_NEWS.test(headline)) return ERROR;
  return UNSTABLE.test(headline) ? WARNING : {};
}

/** Returns the weight of Apprise's type, which only the icon shows in ntfy and Mattermost. */
export function weightOfIcon(icon: string): Weight | undefined {
  return weightOf('apprise', /\/apprise-([a-z]{4,7})-[\dx]+\.png$/.exec(icon)?.[1] ?? '');
}

const STATED_WITHIN = 1_000;
/**
 * Words of Uptime Kuma, Healthchecks and Gatus; and of mdadm and smartd, which mail only failures or use these words.
 */
const DOWN =
  /\[🔴 Down\]|🔴 The check | has been triggered due to having failed |(?:DegradedArray|DeviceDisappeared|Fail|FailSpare) event on |SMART error \(/u;
/** State words in capitals (Nagios, Netdata, Zabbix, Jenkins), and GitHub's word. */
const BAD_NEWS = /(?<!\b(?:0|[Nn]o) )\b(?:CRITICAL|PROBLEM|startup_failure)\b/;
const UNSTABLE = /(?<!\b(?:0|[Nn]o) )\bUNSTABLE\b/;
/** State words of recovery; Netdata's come first, Nagios' after two asterisks. */
const UP = /\[✅ Up\]|🟢 The check | has been resolved after passing successfully |^CLEAR, |^(?:\*\* )?RECOVERY /u;

/** Returns the weight of a colour such as `#2eb886` by its hue: red, yellow and orange, green; otherwise undefined. */
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

/** Out of 255; colours below are grey. */
const MIN_RANGE = 48;
/** Red ends at 20 of 360 degrees (in sixths of the circle). */
const ORANGE = 1 / 3;

function weight(level: Level, delivery_urgency: Urgency): Weight {
  return { level, delivery_urgency };
}
