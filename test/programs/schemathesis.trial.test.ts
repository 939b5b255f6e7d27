import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import type { Schema } from '../../src/contract/schemas.ts';
import { CARL } from '../support/cast.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { signIn } from '../support/sign-in.ts';
import { skipWhere } from '../support/skip.ts';
import { deadlineFor } from '../support/until.ts';

/** The version on PyPI. */
const PACKAGE = 'schemathesis==4.32.5';
const folder = temporaryFolder();
const INSTALL = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
const INSTALL_MS = 180_000;
const RUN_MS = 600_000;
/** Cases of an operation and a phase, beside those that follow from the description alone. */
const CASES = process.env.SCHEMATHESIS_CASES ?? '5';

/**
 * Operations that are not tried. The first never ends; the others would end the session, the membership or the key of
 * the requests.
 */
const LEFT_OUT = ['openStream', 'signOut', 'endSession', 'signMemberOut', 'leaveWorkspace', 'revokeKey'];
/** At the root of the server, where this program looks only with an option. */
const OUTSIDE_BASE = ['getHealth', 'getReadiness'];
/**
 * All checks but one: that whatever fits its schema is accepted. No schema says which fields belong together, or what a
 * list's position is. Nor does it say that a name is not blank, or that a password is right. A 422 does.
 */
const EXCLUDED = ['positive_data_acceptance'];
/** A probe of an orchestrator is answered by how the server is, whatever stands in its query. */
const EXCLUDED_OUTSIDE = [...EXCLUDED, 'negative_data_rejection'];

const schemathesis = suite('schemathesis');

skipWhere(obstacle(), schemathesis)('Whatever is asked, the API answers as its description says', async () => {
  await using opened = new Resources();
  const limits = ['CHANGES_PER_MINUTE', 'CHANGES_PER_DAY', 'CONNECTION_PER_MINUTE'];
  const env = Object.fromEntries(limits.map((limit) => [`PUSHCTL_LIMITS_${limit}`, '1000000']));
  const { server, sandbox, team } = await startTestServer(opened, { env });
  await team.addDevice(sandbox, { platform: 'android' });
  await team.post();
  // An owner whom no example names, so that none of them takes the rights away.
  await team.join(CARL, { role: 'owner' });
  const tokens = { integratorKey: team.key, sessionToken: await signIn({ http: server, store: team.store }, CARL) };
  const auth = Object.entries(tokens).map(([scheme, token]) => `[auth.openapi.${scheme}]\nbearer = "${token}"\n`);
  writeFileSync(join(folder, 'schemathesis.toml'), auth.join(''));
  const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as Document;
  writeFileSync(join(folder, 'api.json'), JSON.stringify(withAbsentValues(document)));

  const others = [...LEFT_OUT, ...OUTSIDE_BASE].flatMap((id) => ['--exclude-operation-id', id]);
  await tried(['--url', `${server.url}/api`, ...others, '--exclude-checks', EXCLUDED.join(',')]);
  const included = OUTSIDE_BASE.flatMap((id) => ['--include-operation-id', id]);
  const phases = ['--phases', 'examples,coverage,fuzzing']; // No links lead there.
  await tried(['--url', server.url, ...included, ...phases, '--exclude-checks', EXCLUDED_OUTSIDE.join(',')]);
});

schemathesis.run();

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Values that optional fields accept beside their schemas. The description says in words that these count as absent. */
const ABSENT = [{ type: 'null' }, { type: 'string', pattern: '^[\\s\\x00-\\x1f\\x7f-\\x9f\\xad]*$' }];
const ABSENT_PASSWORD = [{ type: 'null' }, { const: '' }];

/** Says in the schemas of bodies which optional fields may be null or blank, so that such a body is none to reject. */
function withAbsentValues(document: Document): Document {
  const { schemas } = document.components;
  const resolve = (schema: Schema) => schemas[String(schema.$ref).split('/').at(-1) ?? ''] ?? schema;
  const bodyOf = (given: Schema, isChange: boolean): Schema => {
    const schema = resolve(given);
    const { properties, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
    if (properties === undefined) return given;
    const fields = Object.entries(properties).map(([name, field]) => {
      const inner = bodyOf(field, false);
      if (isChange || required.includes(name)) return [name, inner];
      return [name, { anyOf: [inner, ...(field.format === 'password' ? ABSENT_PASSWORD : ABSENT)] }];
    });
    return { ...schema, properties: Object.fromEntries(fields) };
  };
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const changed = Object.entries(methods).map(([method, operation]) => {
      const { requestBody } = operation as Operation;
      const media = requestBody?.content['application/json'];
      if (media === undefined) return [method, operation];
      const content = { 'application/json': { ...media, schema: bodyOf(media.schema, method === 'patch') } };
      return [method, { ...(operation as Operation), requestBody: { ...requestBody, content } }];
    });
    return [path, Object.fromEntries(changed)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** The reason why it cannot run here; null: it can, and is installed. */
function obstacle(): string | null {
  if (spawnSync('python3', ['-m', 'venv', join(folder, 'venv')]).status !== 0) return 'needs python3 with venv';
  const { status } = spawnSync(join(folder, 'venv/bin/python'), [...INSTALL, PACKAGE], {
    timeout: deadlineFor(INSTALL_MS),
  });
  return status === 0 ? null : `needs ${PACKAGE}, which pip cannot install here`;
}

/** Fails with all that it found. */
async function tried(which: readonly string[]): Promise<void> {
  const bounds = ['--max-examples', CASES, '--seed', '1'];
  const args = ['run', 'api.json', '--no-color', '--continue-on-failure', ...bounds, ...which];
  try {
    await promisify(execFile)('venv/bin/schemathesis', args, {
      cwd: folder,
      timeout: deadlineFor(RUN_MS),
      maxBuffer: 2 ** 26,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}`.slice(-16_000), { cause: error });
  }
}
