import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packageTimeMs, packageVersion } from '../../src/process/package.ts';
import { composeSettings } from '../support/compose.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { asEnv } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { Container, type ContainerOptions } from './container.ts';
import { buildImage, type Image } from './image.ts';

const UID = 65_532;
/** Its runtime starts a container beside what else the machine does. */
const START_MS = 60_000;
/** A start takes about a second: each of its parts meets a signal. */
const START_MOMENTS_MS = [0, 10, 30, 60, 100, 200, 400, 700, 1_000, 1_500];
const image = buildImage();

const container = suite('container');
const withImage = skipWhere('obstacle' in image ? image.obstacle : null, container);

withImage('The image runs without root, on a volume of its user, and asks the server itself for its health', () => {
  const { root, settings } = image as Image;
  assert.equal([settings.User, Object.keys(settings.Volumes)], [`${UID}:${UID}`, ['/data']]);
  assert.equal(settings.Healthcheck.Test, ['CMD', 'pushctl', 'status', '--alive']);
  const { uid, gid, mode } = statSync(join(root, 'data'));
  assert.equal([uid, gid, mode & 0o777], [UID, UID, 0o700]);
  assert.not(readdirSync(root).includes('build'), 'what built it is not in it');
});

withImage('The image knows its version, its commit and the time of its sources', async () => {
  const { Labels: labels } = (image as Image).settings;
  const label = (name: string) => labels[`org.opencontainers.image.${name}`];
  assert.is(label('version'), packageVersion());
  assert.is(label('revision'), execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim());
  assert.is(Date.parse(label('created') ?? ''), packageTimeMs());
  const version = new Container(image as Image, { ...(await composed(async () => ({}))), command: ['version'] });
  assert.equal(await version.ended(), { exitCode: 0, output: `${packageVersion()}\n` });
});

withImage('A stop at any moment of the start ends the container', async () => {
  const options = await composed(async () => ({}));
  for (const afterMs of START_MOMENTS_MS) {
    const started = new Container(image as Image, options);
    await started.handlesStops();
    await wait(afterMs);
    const { exitCode, output } = await started.stop();
    assert.ok([0, 143].includes(Number(exitCode)), `after ${afterMs} ms: ${exitCode}, ${output}`);
  }
});

withImage(
  'A container without any right sends the first push, stops cleanly and continues with its volume',
  async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const options = await composed(async (secrets) => asEnv(await sandbox.writeCredentials(secrets)));
    const start = () => {
      const started = new Container(image as Image, options);
      opened.onEnd(() => started.kill());
      return started;
    };
    const first = start();
    await isHealthy(first);
    const pushctl = async (running: Container, ...args: string[]) => {
      const { exitCode, output } = await running.exec('pushctl', ...args);
      assert.is(exitCode, 0, output);
      return output;
    };
    await pushctl(first, 'workspace', 'create', 'acme');
    await pushctl(first, 'channel', 'create', 'acme', 'alerts');
    await pushctl(first, 'member', 'add', 'acme', 'ada@example.com');
    const token = sandbox.token({ platform: 'ios' });
    await pushctl(
      first,
      'device',
      'add',
      'acme',
      'ada@example.com',
      '--platform',
      'ios',
      '--token',
      token,
      '--subscribe',
      'alerts',
    );
    const { key } = JSON.parse(await pushctl(first, 'key', 'issue', 'acme', '--json')) as { key: string };
    const send = (running: Container, title: string) =>
      running.exec('env', `PUSHCTL_API_KEY=${key}`, 'pushctl', 'send', 'alerts', title);
    const arrives = (title: string) =>
      until(`the push "${title}"`, () => sandbox.pushes.some(({ payload }) => JSON.stringify(payload).includes(title)));
    assert.is((await send(first, 'Out of the container')).exitCode, 0);
    await arrives('Out of the container');

    const { output: rights } = await first.exec('cat', '/proc/1/status');
    assert.match(rights, new RegExp(`^Uid:\\s${UID}\\s${UID}\\s`, 'm'));
    for (const none of [/^CapEff:\s0+$/m, /^CapBnd:\s0+$/m, /^NoNewPrivs:\s1$/m]) assert.match(rights, none);
    assert.match((await first.exec('cat', '/proc/1/limits')).output, /^Max core file size +0 +0 /m);
    assert.not.equal((await first.exec('touch', '/there')).exitCode, 0);

    const stopped = await first.stop();
    assert.is(stopped.exitCode, 0, stopped.output);
    const away = await new Container(image as Image, { ...options, command: ['status', '--alive'] }).ended();
    assert.is(away.exitCode, 1, away.output);

    const second = start();
    await isHealthy(second);
    assert.is((await send(second, 'Out of the next one')).exitCode, 0);
    await arrives('Out of the next one');
    assert.is((await second.stop()).exitCode, 0);
  },
);

withImage('Without the proxy that the compose file names it starts nothing, and says why', async () => {
  const { environment, ...options } = await composed(async () => ({}));
  const { PUSHCTL_PROXY_TRUSTED: _, ...without } = environment;
  const { exitCode, output } = await new Container(image as Image, { ...options, environment: without }).ended();
  assert.is(exitCode, 2, output);
  assert.match(output, 'proxy.trusted');
});

container.run();

/** With the settings of compose.yaml, and those that `secrets` answers of files that it wrote to the folder. */
async function composed(
  secrets: (folder: string) => Promise<Readonly<Record<string, string>>>,
): Promise<Omit<ContainerOptions, 'command'>> {
  const folder = temporaryFolder();
  const places = { data: join(folder, 'data'), secrets: join(folder, 'secrets') };
  for (const place of Object.values(places)) mkdirSync(place, { mode: 0o700 });
  const settings = Object.entries(await secrets(places.secrets));
  for (const file of readdirSync(places.secrets)) chownSync(join(places.secrets, file), UID, UID);
  for (const place of Object.values(places)) chownSync(place, UID, UID);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const environment = {
    ...composeSettings(),
    ...Object.fromEntries(settings.map(([name, value]) => [name, value.replaceAll(places.secrets, '/run/secrets')])),
    // Another test may listen there, or this machine.
    PUSHCTL_LISTEN: `0.0.0.0:${port}`,
    PUSHCTL_BASE_URL: `http://127.0.0.1:${port}/api`,
  };
  return { ...places, environment };
}

/** Runs the health check of the image. */
async function isHealthy(running: Container): Promise<void> {
  const [, ...check] = (image as Image).settings.Healthcheck.Test;
  const isAlive = async () => {
    const checked = await running.exec(...check);
    return checked.exitCode === 0 || checked;
  };
  await until('the server is alive', isAlive, START_MS);
}
