import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { proxyObstacle } from '../programs/proxy.ts';
import { ADA } from '../support/cast.ts';
import { RunningCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { signIn } from '../support/sign-in.ts';
import { skipWhere } from '../support/skip.ts';
import { type OpenStream, openStream } from '../support/stream.ts';
import { until, untilIs } from '../support/until.ts';
import { Load } from './load.ts';
import { machines, openIn, storedIn } from './nodes.ts';

const APPS = 10;
const PACE = { posters: 4, pauseMs: 50 };
/** More than a lease: the others have taken over. */
const FROZEN_MS = 14_000;

skipWhere(proxyObstacle('haproxy'), test)(
  'With the configuration of scale-out.md posts and open apps find a machine, whichever is lost',
  async () => {
    await using opened = new Resources();
    const names = ['push-1', 'push-2', 'push-3'];
    const ports = new Map(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
    const cluster = await machines(opened, names, (name) => ({
      PUSHCTL_LISTEN: `127.0.0.1:${ports.get(name)}`,
      PUSHCTL_PROXY_TRUSTED: '127.0.0.1',
    }));
    const [killed, frozen, restarted = killed] = cluster.all;
    const url = await startHaproxy(opened, [...ports.values()]);
    const team = await cluster.teamOn(restarted);
    const { token } = await team.addDevice(cluster.sandbox, { platform: 'ios' });
    const key = await signIn({ http: { url }, store: team.store }, ADA);
    const stop = new AbortController();
    const apps = Array.from({ length: APPS }, () => new App(url, key));
    const running = apps.map((app) => app.run(stop.signal));
    const load = new Load(team.key, PACE);
    const posting = load.run(url, stop.signal);

    const goesOn = async (what: string) => {
      const before = load.acknowledged.size;
      await until(
        `events are acknowledged ${what}`,
        () => load.acknowledged.size > before + 50 || load.acknowledged.size,
      );
      const heard = apps.map((app) => app.heard());
      await until(`each app is notified of them ${what}`, () =>
        apps.every((app, place) => app.heard() > (heard[place] ?? 0)),
      );
    };
    await goesOn('at first');
    await killed.process.end('SIGKILL');
    await goesOn('while one is gone');
    await killed.start();
    frozen.process.freeze();
    await goesOn('while one is frozen');
    await pause(FROZEN_MS);
    frozen.process.thaw();
    assert.is(await restarted.process.end('SIGTERM'), 0);
    await goesOn('while one is stopped');
    await restarted.start();
    await goesOn('in the end');
    stop.abort();
    await Promise.all([posting, ...running]);
    await load.finish(url);
    await untilIs('the queue is empty', () => openIn(cluster), 0);

    const events = await storedIn(cluster, 'acme');
    assert.equal(
      [...load.acknowledged.keys()].filter(
        (event) => !events.has(event) || cluster.arrivals.copies(event, token) === 0,
      ),
      [],
      'all that is acknowledged has arrived',
    );
    assert.equal(load.torn, []);
    assert.equal(
      [...load.refusals.keys()].filter((what) => what !== '503'),
      [],
    );
    const reopened = apps.reduce((sum, app) => sum + app.opened - 1, 0);
    process.stdout.write(
      `\n${load.acknowledged.size} acknowledged, ${load.unanswered} without an answer, ${load.refusals.get('503') ?? 0} × 503, ${reopened} streams reopened\n`,
    );
  },
);

test.run();

/** An open app: it keeps a stream, and reopens it if it ends. */
class App {
  opened = 0;
  readonly #url: string;
  readonly #key: string;
  #stream: OpenStream | null = null;
  #before = 0;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  heard(): number {
    return this.#before + (this.#stream?.reported().length ?? 0);
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stream?.close());
    while (!signal.aborted) {
      this.#before = this.heard();
      this.#stream = null;
      this.#stream = await openStream(this.#url, { key: this.#key }).catch(() => null);
      if (this.#stream?.status === 200) {
        this.opened += 1;
        if (signal.aborted) this.#stream.close();
        await this.#stream.ended;
      }
      await pause(100);
    }
  }
}

/**
 * Starts HAProxy as in scale-out.md, but without TLS, and with these machines. Answers its address once it leads
 * somewhere.
 */
async function startHaproxy(opened: Resources, [first, second, third]: readonly number[]): Promise<string> {
  const port = await freePort();
  const guide = readFileSync(packagePath('docs', 'scale-out.md'), 'utf8');
  const [, text = ''] = /haproxy\.cfg`:\n\n```\n([^`]*)```/.exec(guide) ?? [];
  const changes: readonly (readonly [from: string, to: string])[] = [
    ['bind :443 ssl crt /etc/haproxy/push.example.com.pem', `bind 127.0.0.1:${port}`],
    ['10.0.0.21:8080', `127.0.0.1:${first}`],
    ['10.0.0.22:8080', `127.0.0.1:${second}`],
    ['10.0.0.23:8080', `127.0.0.1:${third}`],
  ];
  const file = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(
    file,
    changes.reduce((config, [from, to]) => {
      assert.ok(config.includes(from), from);
      return config.replace(from, to);
    }, text),
  );
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const running = new RunningCli(spawn('haproxy', ['-db', '-f', file], { env, stdio: 'pipe' }));
  opened.onEnd(() => running.stop());
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy leads to a machine', () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return url;
}
