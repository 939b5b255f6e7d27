import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS } from '../src/changes/changes.ts';
import { HEARTBEAT_STATES } from '../src/contract/heartbeats.ts';
import { plannedHandover } from '../src/contract/on-call/plan.ts';
import { insistProblem, ringsProblem } from '../src/contract/ringing.ts';
import { readSchema, type Schema } from '../src/contract/schemas.ts';
import { SENDER_NAMES } from '../src/contract/senders/names.ts';
import { DAYS } from '../src/contract/timezones.ts';
import { WEBHOOK_KINDS } from '../src/contract/webhooks.ts';
import { packagePath } from '../src/process/package.ts';
import { ALERT_STATES, DELIVERY_STATES, LEVELS, PLATFORMS, ROLES, ROUTES, SCOPES, URGENCIES } from '../src/push.ts';

type Words = readonly string[];

/** The lists of words that stand in several places: schemas, SQL, server and web app. */
const VOCABULARY: Readonly<Record<string, Words>> = {
  ALERT_STATES,
  DAYS,
  DELIVERY_STATES,
  HEARTBEAT_STATES,
  KINDS,
  LEVELS,
  PLATFORMS,
  ROLES,
  ROUTES,
  SCOPES,
  SENDER_NAMES,
  URGENCIES,
  WEBHOOK_KINDS,
};

/** Lists that leave out a word, and why they are whole. */
const LESSER: readonly Words[] = [
  ['ios', 'android'], // phones
  ['owner', 'admin'], // managers
  ['new', 'up', 'down', 'paused'], // stored: `late` is computed
  ['success', 'warning', 'error'], // levels that leave others out
  SENDER_NAMES.filter((name) => name !== 'mail'), // formats over HTTP
  ['open', 'acknowledged', 'resolved'], // `expired` is nobody's act
  ['acknowledged', 'resolved', 'expired'], // decisions
  ['events', 'accepted', 'failed', 'unregistered', 'expired', 'withdrawn'], // ends, of a chart
  ['accepted', 'failed', 'unregistered', 'expired', 'withdrawn', 'deferred', 'fitted', 'links_lost'], // ends, counted
  ['opened', 'waiting', 'open', 'acknowledged', 'resolved'], // what an event makes of its alert
];

/** Returns the lists of words of a file. */
function listsIn(file: string): readonly Words[] {
  const text = readFileSync(packagePath(file), 'utf8');
  const quoted = (part: string) => [...part.matchAll(/['"]([^'"\n]*)['"]/g)].map(([, word = '']) => word);
  const forms = file.endsWith('.json')
    ? [/"enum": \[([^\]]*)\]/g]
    : [/\bIN \(([^()]*)\)/g, /\[((?:\s*'[^'\n]*',?)+)\s*\]/g, /((?:'[\w:.]+'\s*\|\s*)+'[\w:.]+')/g];
  return forms.flatMap((form) => [...text.matchAll(form)].map(([, part = '']) => quoted(part)));
}

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));
}

test('Each list of words in schemas, SQL, server and web app has all words of its vocabulary', () => {
  const files = [...filesBelow('schemas', /\.json$/), ...filesBelow('src', /\.(?:sql|tsx?)$/)];
  const lists = files.flatMap((file) => listsIn(file).map((words) => ({ file, words })));
  assert.ok(lists.length > 500, String(lists.length));
  for (const [name, all] of Object.entries(VOCABULARY)) {
    const shorter = lists.filter(({ words }) => {
      const missing = all.filter((word) => !words.includes(word));
      const isLesser = LESSER.some((lesser) => lesser.join() === words.join());
      return missing.length === 1 && all.length > 2 && !isLesser;
    });
    assert.equal(shorter, [], name);
  }
});

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

function boundsOf(schema: string, path: string): Bounds {
  const at = path
    .split('.')
    .reduce<Schema>((part, name) => (part.properties as Record<string, Schema>)[name] ?? {}, readSchema(schema));
  return at as unknown as Bounds;
}

const INSIST = { repeat: 3_600, until: 86_400, ring_after: 0 };
const ESCALATE = { channel: 'ops', after: 60 };

/** Rules that the store repeats for the command line: whether a number is right. */
const RULES: readonly (readonly [schema: string, path: string, isRight: (value: number) => boolean])[] = [
  ['channel-change', 'insist.repeat', (repeat) => insistProblem({ ...INSIST, until: 3_000, repeat }) === null],
  ['channel-change', 'insist.until', (until) => insistProblem({ ...INSIST, until }) === null],
  ['channel-change', 'insist.ring_after', (ring_after) => insistProblem({ ...INSIST, ring_after }) === null],
  [
    'channel-change',
    'insist.escalate.after',
    (after) => insistProblem({ ...INSIST, escalate: { ...ESCALATE, after } }) === null,
  ],
  [
    'channel-change',
    'insist.on_call.widen_after',
    (widen_after) => insistProblem({ ...INSIST, on_call: { rota: 'ops', widen_after } }) === null,
  ],
  ['channel-change', 'rings.at_most', (at_most) => ringsProblem({ at_most, per: 60 }) === null],
  ['channel-change', 'rings.per', (per) => ringsProblem({ at_most: 1, per }) === null],
  ['handover-rule', 'count', (count) => 'minute' in plannedHandover({ every: 'week', at: '09:00', count })],
];

/** The choices of the web app in seconds, and the field that they are for. */
const CHOICES: Readonly<Record<string, string>> = {
  REPEATS: 'insist.repeat',
  UNTILS: 'insist.until',
  WAITS: 'insist.ring_after',
  AFTERS: 'insist.escalate.after',
  WIDENINGS: 'insist.on_call.widen_after',
  PERS: 'rings.per',
};

/** Returns the numbers of a list of the source, by its name. */
function numbersOf(folder: string, name: string): readonly (readonly number[])[] {
  return filesBelow(folder, /\.tsx?$/).flatMap((file) => {
    const text = readFileSync(packagePath(file), 'utf8');
    return [...text.matchAll(new RegExp(`const ${name} = \\[([^\\]]*)\\]`, 'g'))].map(([, part = '']) =>
      part.split(',').map((number) => Number(number.replaceAll('_', ''))),
    );
  });
}

test('The web app offers only numbers that the API takes', () => {
  for (const [name, path] of Object.entries(CHOICES)) {
    const { minimum, maximum } = boundsOf('channel-change', path);
    const [numbers = [], ...others] = numbersOf('src/web', name);
    assert.equal(others, [], `${name} stands once`);
    assert.ok(numbers.length > 3, name);
    assert.equal(
      numbers.filter((number) => !(number >= minimum && number <= maximum)),
      [],
      `${name}: ${minimum} to ${maximum}`,
    );
  }
});

test('The web app asks for passkeys of the algorithms that the server takes', () => {
  const [server] = numbersOf('src/http', 'ALGORITHMS');
  assert.ok(server !== undefined && server.length > 1);
  assert.equal(numbersOf('src/web', 'ALGORITHMS'), [server]);
});

test('SECURITY.md names the default of each setting beside it', () => {
  const { properties: tables } = readSchema('config') as unknown as { properties: Record<string, Schema> };
  const rows = readFileSync(packagePath('SECURITY.md'), 'utf8').split('\n');
  const named = rows
    .filter((row) => row.startsWith('| '))
    .flatMap((row) => [...row.matchAll(/`\[(\w+)\] (\w+)`(?:, `(\w+)`)?/g)].map((found) => ({ row, found })));
  assert.ok(named.length > 4, String(named.length));
  for (const { row, found } of named) {
    const [, table = '', ...settings] = found;
    const { properties = {} } = tables[table] ?? {};
    for (const setting of settings.filter((name) => name !== undefined)) {
      const { default: value } = (properties as Record<string, Schema>)[setting] ?? {};
      const words = typeof value === 'number' ? value.toLocaleString('en') : String(value).replace('MiB', ' MiB');
      assert.match(row, words, `${setting}: ${words}`);
    }
  }
});

/** Bounds of the code, and the row of SECURITY.md that names them, with the words behind the number. */
const BOUNDS: Readonly<Record<string, readonly [row: string, words: string]>> = {
  MAX_CONNECTIONS: ['connections ', ', and'],
  MOST_WAITING: ['requests on a connection ', ' on all connections'],
  MAX_IN_FLIGHT: ['requests that are being answered ', ','],
  PER_PAIR: ['failed passwords in 15 minutes ', ' for an address and email'],
  PER_NETWORK: ['failed passwords in 15 minutes ', ' for an address ('],
  PER_EMAIL: ['failed passwords in 15 minutes ', ' for an email'],
  CODES_PER_NETWORK: ['failed pairing codes and passkeys', ' for an address'],
  PROVIDED_PER_NETWORK: ['failed sign-ins by the provider', ' for an address'],
  PER_WORKSPACE: ['bodies of senders above', ' of a workspace'],
  perSession: ['streams of events ', ' of a session'],
  perPerson: ['streams of events ', ' of a person'],
  MOST_READERS: ['connections to `read_socket` ', ';'],
  MOST_INTERIM: ['a response to pushctl itself', ' interim responses'],
};

test('SECURITY.md names the bounds that the code has', () => {
  const rows = readFileSync(packagePath('SECURITY.md'), 'utf8').split('\n');
  const sources = ['http', 'process', 'store/transports'].flatMap((folder) => filesBelow(`src/${folder}`, /\.ts$/));
  const code = sources.map((file) => readFileSync(packagePath(file), 'utf8')).join('\n');
  for (const [name, [start, words]] of Object.entries(BOUNDS)) {
    const numbers = [...code.matchAll(new RegExp(`\\b${name}(?: =|:) ([\\d_]+)\\b`, 'g'))].map(
      ([, number = '']) => number,
    );
    const bounds = new Set(numbers.map((number) => Number(number.replaceAll('_', ''))));
    assert.is(bounds.size, 1, `${name} is one number: ${[...bounds]}`);
    const row = rows.find((line) => line.startsWith(`| ${start}`)) ?? '';
    const [bound = 0] = bounds;
    assert.match(row, ` ${bound.toLocaleString('en')}${words}`, name);
  }
});

for (const [schema, path, isRight] of RULES) {
  test(`The store takes the numbers that the API takes: ${schema} ${path}`, () => {
    const { minimum, maximum } = boundsOf(schema, path);
    const numbers = [minimum - 1, minimum, maximum, maximum + 1];
    assert.equal(numbers.map(isRight), [false, true, true, false], numbers.join());
  });
}

test.run();
