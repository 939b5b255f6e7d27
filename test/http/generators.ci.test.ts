import { execFile } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Api, withApi } from '../support/http.ts';
import { fromNpm } from '../support/registries.ts';
import { skipWhere } from '../support/skip.ts';
import { deadlineFor } from '../support/until.ts';

const test = suite('generators');
// 48 packages, which nothing else needs.
const heyApi = fromNpm('@hey-api/openapi-ts@0.99.0');
const withHeyApi = skipWhere(heyApi.obstacle, test);

/** Gives the compiler's API to generators, and to the processes that they start. */
const WITH_COMPILER_API = { NODE_OPTIONS: `--import ${import.meta.resolve('../support/compiler-api.js')}` };

const NO_CHANNEL = 'The channel does not exist in this workspace, or it is inactive.';

/** The code of an integrator who knows only the server's description. */
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const [baseUrl = '', key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
const body: components['schemas']['PostedEvent'] = { channel: 'alerts', title: 'Done' };
const header = { 'Idempotency-Key': 'run-1842' };
const posted = await client.POST('/v1/events', { body, params: { header } });
const publicId: string = posted.data?.event?.public_id ?? '';
const again = await client.POST('/v1/events', { body: { ...body, idempotency_key: 'run-1842' } });
const isReplayed: boolean = again.data?.event?.public_id === publicId;
const read = await client.GET('/v1/events/{public_id}', { params: { path: { public_id: publicId } } });
const page = await client.GET('/v1/events', { params: { query: { limit: 1 } } });
const listed: string | undefined = page.data?.events[0]?.title;
const refused = await client.POST('/v1/events', { body: { ...body, channel: 'nowhere' } });
const message: string | undefined = refused.error?.message;
const seen = await client.GET('/openapi.json');
console.log(JSON.stringify([posted.response.status, again.response.status, isReplayed, read.data?.event.public_id === publicId, listed, message, seen.data?.openapi]));
`;

const HEY_API = `
import { client } from './client/client.gen.ts';
import { listEvents, postEvent } from './client/sdk.gen.ts';

const [baseUrl = '', key] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key ?? '' });
const body = { channel: 'alerts', title: 'Done', idempotency_key: 'run-1842' };
const posted = await postEvent({ body });
const level: 'info' | 'success' | 'warning' | 'error' | undefined = posted.data?.event?.level;
const again = await postEvent({ body });
const isReplayed: boolean = again.data?.event?.public_id === posted.data?.event?.public_id;
const page = await listEvents({ query: { limit: 1 } });
const listed: string | undefined = page.data?.events[0]?.title;
const refused = await postEvent({ body: { channel: 'nowhere', title: 'Done' } });
console.log(JSON.stringify([posted.response?.status, again.response?.status, isReplayed, level, listed, refused.error?.message]));
`;

test('a client made with openapi-typescript and openapi-fetch compiles strictly, posts, lists and reads', () =>
  withApi(async (api) => {
    const folder = await described(api);
    const generator = bin('openapi-typescript/bin/cli.js');
    await node(folder, [generator, 'api.json', '-o', 'api.d.ts'], WITH_COMPILER_API);
    assert.equal(await resultOf(folder, OPENAPI_FETCH, api), [202, 200, true, true, 'Done', NO_CHANNEL, '3.1.1']);
  }));

withHeyApi('a client made with hey-api compiles strictly, posts, lists and reads an error', () =>
  withApi(async (api) => {
    const folder = await described(api);
    const wanted = ['-i', 'api.json', '-o', 'client', '-c', '@hey-api/client-fetch', '--no-log-file'];
    // It takes the form of its imports from the nearest tsconfig.json above itself.
    copyFileSync(packagePath('tsconfig.json'), join(heyApi.folder, 'tsconfig.json'));
    const generator = join(heyApi.folder, 'node_modules/@hey-api/openapi-ts/bin/run.js');
    await node(folder, [generator, ...wanted], WITH_COMPILER_API);
    assert.equal(await resultOf(folder, HEY_API, api), [202, 200, true, 'info', 'Done', NO_CHANNEL]);
  }),
);

test.run();

/** A new folder from which the dependencies are seen, with the description as the server gives it. */
async function described(api: Api): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'api.json'), (await api.request('/api/openapi.json')).text);
  return folder;
}

/** Compiles a program as strictly as TypeScript does, libraries too, and runs it: what it prints is JSON. */
async function resultOf(folder: string, program: string, api: Api): Promise<unknown> {
  writeFileSync(join(folder, 'program.ts'), program);
  const flags =
    '--strict --target es2024 --module nodenext --rewriteRelativeImportExtensions --types node --outDir out';
  await node(folder, [bin('typescript/bin/tsc'), ...flags.split(' '), 'program.ts']);
  return JSON.parse(await node(folder, ['out/program.js', `${api.http.url}/api`, api.key]));
}

/** A compiler of TypeScript reads a whole client. */
const COMPILE_MS = 60_000;

/** Returns the output of a program for Node. If it fails, the test fails with its output. */
async function node(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const options = { cwd, timeout: deadlineFor(COMPILE_MS), env: { ...process.env, ...env } };
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args[0]}: ${stdout}${stderr}`, { cause: error });
  }
}

function bin(path: string): string {
  return packagePath('node_modules', path);
}
