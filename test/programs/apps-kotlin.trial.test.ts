import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { ADA } from '../support/cast.ts';
import { temporaryFolder } from '../support/folder.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { codeFor } from '../support/sign-in.ts';
import { skipWhere } from '../support/skip.ts';
import { step } from './generated-clients.ts';

const apps = suite('Kotlin');
const missing = ['java', 'mvn'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
const withKotlin = skipWhere(missing.length === 0 ? null : `needs ${missing.join(', ')}`, apps);
const MAVEN = ['mvn', '--batch-mode', '--quiet', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
const URGENT = { title: 'Disk full', delivery_urgency: 'time_sensitive', url: 'https://status.example.com/db-1' };

withKotlin(
  'The code of docs/apps-kotlin.md compiles; its client registers, reads pushes, acknowledges and signs out',
  async () => {
    const folder = temporaryFolder();
    cpSync(packagePath('test/programs/apps'), folder, { recursive: true });
    await step(folder, MAVEN);
    mkdirSync(join(folder, 'page'));
    const blocks = [...readFileSync(packagePath('docs/apps-kotlin.md'), 'utf8').matchAll(/^```kotlin\n(.*?)^```/gms)];
    blocks.forEach(([, code = ''], i) => {
      writeFileSync(join(folder, 'page', `Part${i}.kt`), code);
    });
    const libraries = readdirSync(join(folder, 'lib')).map((name) => `lib/${name}`);
    const compiler = ['java', '-cp', 'lib/*', 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'];
    const options = ['-Werror', '-no-stdlib', '-no-reflect', '-cp', libraries.join(':'), '-d', 'classes'];
    await step(folder, [...compiler, ...options, 'page', 'Firebase.kt', 'Main.kt']);

    await using opened = new Resources();
    const { server, sandbox, team } = await startTestServer(opened);
    granted(
      await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 120, until: 3_600 } }),
    );
    const run = spawn('java', ['-cp', 'classes:lib/*', 'MainKt', server.url], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    opened.onEnd(() => run.kill('SIGKILL'));
    const printed = createInterface({ input: run.stdout })[Symbol.asyncIterator]();
    const says = async (command: string): Promise<Readonly<Record<string, unknown>>> => {
      run.stdin.write(`${command}\n`);
      return JSON.parse((await printed.next()).value ?? '{}');
    };
    const pushed = async (title: string) => {
      const push = await sandbox.waitForPush(({ payload }) => dataOf(payload).title === title);
      return { token: push.token, data: dataOf(push.payload) };
    };
    const [first, second] = [sandbox.token({ platform: 'android' }), sandbox.token({ platform: 'android' })];

    await says(`sign-in ${await codeFor(team, ADA)}`);
    const { device } = await says(`register ${first}`);
    await says('subscribe acme/alerts');
    await team.post(URGENT);
    const urgent = await pushed('Disk full');
    assert.equal(await says(`push ${JSON.stringify(urgent.data)}`), {
      title: 'Disk full',
      tag: urgent.data.collapse_id,
      channel: 'urgent',
      later: 'urgent',
      link: URGENT.url,
      alert: urgent.data.alert_id,
      device,
    });
    assert.equal(await says(`acknowledge ${urgent.data.alert_id}`), { name: 'ada', device });

    assert.is((await says(`register ${second}`)).device, device);
    await team.post({ title: 'Deploy finished' });
    const { token, data } = await pushed('Deploy finished');
    const plain = await says(`push ${JSON.stringify(data)}`);
    assert.equal([token, plain.channel, plain.later, plain.tag], [second, 'standard', 'quiet', data.event_id]);

    await says('sign-out now');
    assert.is((await team.post({ title: 'Nobody' })).body.event.target_device_count, 0);
  },
);

apps.run();

function dataOf(payload: object): Readonly<Record<string, string>> {
  return (payload as { data: Readonly<Record<string, string>> }).data;
}
