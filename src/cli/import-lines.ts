import type { Readable } from 'node:stream';
import type { AddressSettings } from '../contract/addresses/address.ts';
import { ADDRESS_FIELDS, addressProblem } from '../contract/addresses.ts';
import { OperatorProblem } from '../process/problem.ts';
import { LEVELS } from '../push.ts';
import type { ImportedDevice, ImportLine } from '../store/calls.ts';
import type { Mute } from '../store/records.ts';
import { camelCase, isJsonObject } from '../values/json.ts';
import { nearest } from '../values/nearest.ts';
import { fromTimestamp } from '../values/timestamp.ts';

const FIELDS = [...ADDRESS_FIELDS, 'name', 'app_version', 'subscribe', 'mutes'];
const MUTE_FIELDS = ['channel', 'min_level', 'muted_until'];
/** In UTF-16 units, far above any device. Unbounded, a file without line ends would fill memory. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Reads NDJSON lazily: a device per non-blank line. */
export async function* importLines(input: Readable, addresses: AddressSettings): AsyncGenerator<ImportLine> {
  let line = 0;
  for await (const text of textLines(input)) {
    line += 1;
    if (text.trim() === '') continue;
    const parsed = parseLine(line === 1 ? text.replace(/^\uFEFF/, '') : text, addresses);
    yield typeof parsed === 'string' ? { line, mistake: parsed } : { line, device: parsed };
  }
}

/** Small enough to block server and store only for milliseconds. */
const PART_LINES = 1_000;
const PART_SUBSCRIPTIONS = 5_000;

export async function* importParts(lines: AsyncIterable<ImportLine>): AsyncGenerator<readonly ImportLine[]> {
  let part: ImportLine[] = [];
  let subscriptions = 0;
  for await (const line of lines) {
    part.push(line);
    subscriptions += 'device' in line ? (line.device.subscribe?.length ?? 0) : 0;
    if (part.length < PART_LINES && subscriptions < PART_SUBSCRIPTIONS) continue;
    yield part;
    part = [];
    subscriptions = 0;
  }
  if (part.length > 0) yield part;
}

async function* textLines(input: Readable): AsyncGenerator<string> {
  let unfinished = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    yield* lines;
    if (unfinished.length > MAX_LINE_LENGTH) {
      throw new OperatorProblem(`a line is longer than ${MAX_LINE_LENGTH} characters`, 1, {
        advice: 'expected one JSON object per line',
      });
    }
  }
  yield unfinished;
}

/** Returns a line's device, or what is wrong. */
function parseLine(line: string, addresses: AddressSettings): ImportedDevice | string {
  // Replaces bytes that are not UTF-8.
  if (line.includes('\uFFFD')) return 'this is not UTF-8 text.';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'this is not JSON.';
  }
  return isJsonObject(value) ? toDevice(value, addresses) : 'this is not a JSON object.';
}

function toDevice(entry: Readonly<Record<string, unknown>>, addresses: AddressSettings): ImportedDevice | string {
  const unknown = Object.keys(entry).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, FIELDS);
    return `there is no field "${unknown}"${meant === null ? '' : `; did you mean "${meant}"?`}`;
  }
  const { name, app_version, subscribe, mutes } = entry;
  const given = Object.entries(entry).filter(([field, value]) => value !== null || field !== 'environment');
  // The rules also check the types.
  const device = Object.fromEntries(
    given.map(([field, value]) => [camelCase(field), value]),
  ) as unknown as ImportedDevice;
  const problem = addressProblem(device, addresses);
  if (problem !== null) return problem.message;
  if (name !== undefined && !isText(name)) return 'The name field must be a text of 1 to 255 characters.';
  if (app_version !== undefined && !isText(app_version))
    return 'The app_version field must be a text of 1 to 255 characters.';
  if (subscribe !== undefined && !(Array.isArray(subscribe) && subscribe.every(isText))) {
    return 'The subscribe field must be a list of channel slugs.';
  }
  return mutes === undefined ? device : mutedDevice(device, mutes);
}

/** Returns the device with its mutes as the store has them. */
function mutedDevice(device: ImportedDevice, mutes: unknown): ImportedDevice | string {
  if (!(Array.isArray(mutes) && mutes.every(isMute)))
    return 'The mutes field must be a list such as [{"channel":"builds","min_level":"error","muted_until":null}].';
  const subscribed = new Set(device.subscribe);
  const other = mutes.find(({ channel }) => !subscribed.has(channel));
  if (other !== undefined) return `The mutes field names the channel "${other.channel}", which is not in subscribe.`;
  return { ...device, mutes: mutes.map((mute) => ({ min_level: null, muted_until: null, ...mute })) };
}

function isMute(value: unknown): value is Partial<Mute> & { readonly channel: string } {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MUTE_FIELDS.includes(name))) return false;
  const { channel, min_level: level = null, muted_until: until = null } = value;
  const isLevel = level === null || LEVELS.some((known) => known === level);
  const isTime = until === null || (typeof until === 'string' && fromTimestamp(until) !== null);
  return isText(channel) && isLevel && isTime;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && [...value].length <= 255;
}
