import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';

const FOLDER = join(import.meta.dirname, '../../../test/senders/fixtures');
/** The id of the key of the recordings. */
const ID = 'fakefakefake';
const SECRET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A request of a program; fixtures/README.md says how it is written down. */
export interface Recording {
  /** `ntfy/apprise`: its format, and its file. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Recordings by their names. */
export function recordings(): readonly Recording[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.http'))
    .map((file) => recordingIn(file))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Sends it as its program did, with this key in the place of its own. A group of alerts gets a name of its own, as the
 * recordings are in no order.
 */
export function replay(url: string, { name, method, path, headers, body }: Recording, key: string): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const inOwnGroup = body.toString('latin1').replace('"groupKey":"', `$&${name} `);
  const sent = Buffer.from(withPlainKey(inOwnGroup, key), 'latin1');
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest({
    ...{ hostname, port, method, path: withKey(path, key), setHost: false, agent: false },
    headers: headers.map((text, at) => (isLength(headers[at - 1]) ? String(sent.length) : withKey(text, key))),
  });
  request.on('error', reject).on('response', (response) => {
    const { statusCode = 0, headers } = response;
    readText(response).then(
      (text) => resolve({ status: statusCode, type: headers['content-type'] ?? '', text }),
      reject,
    );
  });
  request.end(sent);
  return promise;
}

function recordingIn(file: string): Recording {
  const bytes = readFileSync(join(FOLDER, file));
  const end = bytes.indexOf('\n\n');
  // Header fields are bytes, and node:http sends each character as one.
  const lines = bytes.subarray(0, end).toString('latin1').split('\n');
  const [first = '', ...fields] = lines.filter((line) => !line.startsWith('# '));
  const [method = '', path = ''] = first.split(' ');
  const headers = fields.flatMap((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 2)]);
  return { name: file.replace(/\.http$/, ''), method, path, headers, body: bytes.subarray(end + 2) };
}

/** Whether this header field says how long the body is, in which a key may be. */
function isLength(name = ''): boolean {
  return name.toLowerCase() === 'content-length';
}

/** With this key where the recording has its own, in any of its forms, plain or in base64. */
function withKey(text: string, key: string): string {
  const inBase64 = /(?<=Basic |auth=)[\w+/=-]+/.exec(text)?.[0];
  if (inBase64 === undefined) return withPlainKey(text, key);
  const plain = Buffer.from(inBase64, 'base64').toString();
  return text.replace(inBase64, Buffer.from(withPlainKey(plain, key)).toString('base64url'));
}

function withPlainKey(text: string, key: string): string {
  const [, id = '', secret = ''] = key.split('_');
  return text.replaceAll(ID, id).replaceAll(SECRET, secret);
}
