import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { addressProblem } from '../contract/device-token.ts';
import { isJsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import type { NewDevice } from '../store/calls.ts';

export interface ParsedImport {
  readonly devices: readonly NewDevice[];
  /** One sentence a bad line, with its number. */
  readonly mistakes: readonly string[];
}

const FIELDS = ['platform', 'token', 'token_kind', 'environment', 'name', 'app_version', 'subscribe'];

/** NDJSON, one device a line; blank lines are skipped. Every line is read, so that all bad ones are known at once. */
export async function parseImport(input: Readable): Promise<ParsedImport> {
  const devices: NewDevice[] = [];
  const mistakes: string[] = [];
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === '') continue;
    const parsed = parseLine(number === 1 ? line.replace(/^\uFEFF/, '') : line);
    if (typeof parsed === 'string') mistakes.push(`line ${number}: ${parsed}`);
    else devices.push(parsed);
  }
  return { devices, mistakes };
}

/** The device of a line, or what is wrong with it. */
function parseLine(line: string): NewDevice | string {
  // The reader has put it in the place of each byte that is none of UTF-8.
  if (line.includes('\uFFFD')) return 'this is not UTF-8 text.';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'this is not JSON.';
  }
  return isJsonObject(value) ? toDevice(value) : 'this is not a JSON object.';
}

function toDevice(entry: Readonly<Record<string, unknown>>): NewDevice | string {
  const unknown = Object.keys(entry).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, FIELDS);
    return `there is no field "${unknown}"${meant === null ? '' : `; did you mean "${meant}"?`}`;
  }
  const { platform, token, token_kind, environment, name, app_version, subscribe } = entry;
  // The rules check the types too: nothing here is believed before they have.
  const device = {
    platform,
    token,
    ...(token_kind !== undefined && { tokenKind: token_kind }),
    ...(environment !== undefined && environment !== null && { environment }),
    ...(name !== undefined && { name }),
    ...(app_version !== undefined && { appVersion: app_version }),
    ...(subscribe !== undefined && { subscribe }),
  } as NewDevice;
  const problem = addressProblem(device);
  if (problem !== null) return problem.message;
  if (name !== undefined && !isText(name)) return 'The name field must be a text of 1 to 255 characters.';
  if (app_version !== undefined && !isText(app_version))
    return 'The app_version field must be a text of 1 to 255 characters.';
  if (subscribe !== undefined && !(Array.isArray(subscribe) && subscribe.every(isText))) {
    return 'The subscribe field must be a list of channel slugs.';
  }
  return device;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && [...value].length <= 255;
}
