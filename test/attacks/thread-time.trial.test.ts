/**
 * No request may take more than 10 ms of a thread that others share, whatever it holds. Every length and number of
 * every schema goes to its bound and far beyond it. The workspace has as much as it may have.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS as ALL_OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { ADA, BOB } from '../support/cast.ts';
import { ANY, bodyOf } from '../support/costly-bodies.ts';
import { type Api, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';
import { someSettings } from '../support/store.ts';
import { type Ask, slowOf } from '../support/thread-time.ts';

/** Below the limit of a body, with room for the rest of it. */
const BODY_CHARACTERS = 60_000;
const ADDRESS_CHARACTERS = 12_000;

/** The first two end a session that the others need, the last one's answer never ends. */
const LEFT_OUT = ['signOut', 'leaveWorkspace', 'openStream'];
const OPERATIONS = ALL_OPERATIONS.filter(({ operationId }) => !LEFT_OUT.includes(operationId));
interface Field {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly items?: Field;
}

interface Scene {
  readonly api: Api;
  readonly tokens: Readonly<Record<'owner' | 'member' | 'key', string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** `acme` with as many channels, keys and members as it may have. */
async function withFullWorkspace(use: (scene: Scene) => Promise<void>): Promise<void> {
  const limits = {
    burstPerMinute: 1_000_000,
    connectionPerMinute: 1_000_000,
    changesPerMinute: 1_000_000,
    changesPerDay: 1_000_000,
  };
  await withApi(
    async (api) => {
      const owner = await aPerson(api, ADA, { role: 'owner' });
      const member = await aPerson(api, BOB);
      const body = { platform: 'ios', token: 'cd'.repeat(32) };
      const registered = await api.request('/api/v1/devices', { method: 'POST', key: owner, body });
      const posted = await api.post({ channel: 'alerts', title: 'Done' });
      await fill(api);
      const parameters = {
        workspace: 'acme',
        channel: 'alerts',
        device: (registered.body.device as { id: string }).id,
        public_id: (posted.body.event as { public_id: string }).public_id,
        key: (await api.issueKey()).id,
        email: 'nobody@example.com',
      };
      await use({ api, tokens: { owner, member, key: api.key }, parameters });
    },
    { limits },
  );
}

async function fill({ store, issueKey }: Api): Promise<void> {
  const { channels, keys, members } = someSettings().limits;
  const name = 'n'.repeat(255);
  const many = (count: number) => Array.from({ length: count }, (_, index) => String(index).padStart(100, 'x'));
  for (const slug of many(channels - 1)) granted(await store.createChannel({ workspace: 'acme', slug, name }));
  for (let made = 2; made < keys; made += 1) await issueKey({ name });
  for (const local of many(members - 2)) {
    granted(
      await store.addMember({ workspace: 'acme', email: `${local.slice(-64)}@example.com`, name, role: 'member' }),
    );
  }
}

/** Values at the bounds of a field and far beyond them, as JSON. */
function valuesOf(field: Field): readonly string[] {
  const types = [field.type ?? []].flat();
  const bound = field.maximum ?? 1;
  return [
    ...(types.includes('array') ? listsOf(field) : []).map((list) => JSON.stringify(list)),
    ...(types.includes('string') ? textsOf(field, BODY_CHARACTERS) : []).map((text) => JSON.stringify(text)),
    ...(types.includes('integer')
      ? [`${bound}`, `${bound + 1}`, '1e308', '-1e308', '0.1', '9'.repeat(BODY_CHARACTERS)]
      : []),
    `${'['.repeat(BODY_CHARACTERS / 2)}${']'.repeat(BODY_CHARACTERS / 2)}`,
  ];
}

function listsOf({ maxItems = 100, items = {} }: Field): readonly unknown[] {
  const [valid = 'x'] = (items.enum ?? []) as readonly string[];
  const distinct = Array.from({ length: BODY_CHARACTERS / 9 }, (_, index) => `${index}`.padEnd(6, 'x'));
  return [
    distinct.slice(0, maxItems),
    distinct.slice(0, maxItems + 1),
    distinct,
    Array.from({ length: BODY_CHARACTERS / (valid.length + 3) }, () => valid),
    Array.from({ length: BODY_CHARACTERS / 3 }, () => ({})),
    ['a'.repeat(BODY_CHARACTERS)],
  ];
}

function textsOf({ maxLength = 100 }: Field, most: number): readonly string[] {
  const longest = (unit: string) => unit.repeat(most / Buffer.byteLength(unit));
  return [
    'a'.repeat(Math.min(maxLength, most)),
    'a'.repeat(Math.min(maxLength + 1, most)),
    ...['a', ' ', '@', '\u00e4', 'a.', '-1', '\u{1F469}\u200D'].map(longest),
    `https://${longest('a.').slice(8)}`,
    `2026-11-21T09:30:00.${longest('1').slice(20)}`,
  ];
}

/** Everything that is asked for an operation, in the name of whom it is for, and plainly by the others. */
function requestsOf(operation: Operation, { tokens, parameters }: Scene): readonly Ask[] {
  const { method, path, body, query, scopes, isOutsideBase } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const address = (values: Readonly<Record<string, string>>) =>
    (isOutsideBase ? '' : '/api') +
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const example = body === undefined ? {} : ((readSchema(body).examples as readonly object[])[0] ?? {});
  const plain = { method, path: address(parameters), body: body === undefined ? null : JSON.stringify(example) };
  const key = scopes === undefined ? tokens.owner : tokens.key;
  const long = ADDRESS_CHARACTERS / 3;
  return [
    ...[...Object.values(tokens), 'nobody'].map((token) => ({ ...plain, key: token })),
    ...names.map((name) => ({ ...plain, key, path: address({ ...parameters, [name]: 'a'.repeat(long) }) })),
    ...(query?.reads ?? []).flatMap((name) =>
      textsOf(fieldsOf(query?.schema)[name] ?? {}, long).map((text) => {
        return { ...plain, key, path: `${plain.path}?${name}=${encodeURIComponent(text)}` };
      }),
    ),
    ...['%e2%82&', '%e2%82', 'a&'].map((piece) => {
      return { ...plain, key, path: `${plain.path}?${piece.repeat(ADDRESS_CHARACTERS / piece.length)}` };
    }),
    ...Object.entries(fieldsOf(body)).flatMap(([name, field]) =>
      valuesOf(field).map((value) => ({ ...plain, key, body: withField(example, name, value) })),
    ),
    ...(body === undefined ? [] : unknownFields(example)).map((text) => ({ ...plain, key, body: text })),
  ];
}

/** Unknown fields beside those of the example, as many as there is room for, and what costs most in one. */
function unknownFields(example: object): readonly string[] {
  const checked = `${JSON.stringify({ ...example, validate_only: true }).slice(0, -1)},`;
  const many = ['1e-9', '[]', '{"k#":{}}'].map((piece) => bodyOf({ ...ANY, piece, around: '{' }, BODY_CHARACTERS));
  return [
    ...many.flatMap((fields) => [withField(example, 'x', fields), checked + fields.slice(1)]),
    `${checked}${bodyOf({ ...ANY, piece: '"titl#":0,' }, BODY_CHARACTERS)}"x":0}`,
  ];
}

function fieldsOf(schema: string | undefined): Readonly<Record<string, Field>> {
  return schema === undefined ? {} : (readSchema(schema).properties as Record<string, Field>);
}

function withField(example: object, name: string, json: string): string {
  const others = Object.entries(example).filter(([other]) => other !== name);
  const fields = others.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`);
  return `{${[...fields, `${JSON.stringify(name)}:${json}`].join(',')}}`;
}

test('no request keeps a shared thread busy', () =>
  withFullWorkspace(async (scene) => {
    const asks = OPERATIONS.flatMap((operation) => requestsOf(operation, scene));
    assert.ok(asks.length > 400, String(asks.length));
    assert.equal(await slowOf(scene.api.http.url, asks), []);
  }));

test.run();
