import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { ADA } from '../support/cast.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, startTestServer } from '../support/server.ts';
import { codeFor, signIn } from '../support/sign-in.ts';
import { skipWhere } from '../support/skip.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';

const PROGRAM = 'python3';
const app = suite('app');
const isThere = spawnSync(PROGRAM, ['--version']).error === undefined;
const withPython = skipWhere(isThere ? null : `needs ${PROGRAM}`, app);

/** More than a push can carry. */
const LONG = '🔥'.repeat(1_000);

/** The app's output: one of these at a time. */
interface Message {
  readonly event?: { readonly public_id: string; readonly title: string; readonly unread: boolean };
  readonly change?: { readonly kind: string };
  readonly unread?: readonly { readonly workspace: string; readonly events: number }[];
  readonly stream?: 'ended';
  readonly test?: string;
  readonly read?: { readonly title: string; readonly description: string };
  readonly done?: string;
}

/** The app as a process of its own. */
class App {
  readonly printed: Message[] = [];
  readonly #process;

  constructor(opened: Resources, args: readonly string[]) {
    this.#process = spawn(PROGRAM, [packagePath('test/programs/app.py'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH }, // No proxy.
    });
    opened.onEnd(() => this.#process.kill('SIGKILL'));
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.printed.push(JSON.parse(line)));
  }

  async obey(command: string): Promise<void> {
    const [word] = command.split(' ');
    const before = this.printed.length;
    this.#process.stdin.write(`${command}\n`);
    await this.reports(`that ${word} is done`, ({ done }) => done === word, before);
  }

  /** The first thing of this kind that it prints, from there on. */
  async reports(what: string, isIt: (message: Message) => boolean, from = 0): Promise<Message> {
    const find = () => this.printed.slice(from).find(isIt);
    await until(`the app to report ${what}`, () => find() !== undefined);
    return find() ?? {};
  }

  hears(title: string): Promise<Message> {
    return this.reports(`of ${title}`, ({ event }) => event?.title === title);
  }

  /** Texts of the events that it has read, in that order. */
  get titles(): readonly string[] {
    return this.printed.flatMap(({ event }) => event?.title ?? []);
  }

  changesFrom(place: number): readonly string[] {
    return this.printed.slice(place).flatMap(({ change }) => change?.kind ?? []);
  }
}

withPython('An app that was written from docs/apps.md alone does all that it says', async () => {
  await using opened = new Resources();
  // An address that nothing else on this machine uses, so that its port is free when the server comes back.
  const { server, sandbox, team, env } = await startTestServer(opened, { env: { PUSHCTL_LISTEN: '127.0.0.78:0' } });
  const [first, second] = [sandbox.token({ platform: 'android' }), sandbox.token({ platform: 'android' })];
  const pushed = (title: string) => sandbox.waitForPush(({ payload }) => textsOf(payload).title === title);
  const running = new App(opened, [server.url, await codeFor(team, ADA), 'android', first]);
  await running.reports('that anything may have changed', ({ change }) => change?.kind === 'everything');

  await team.post({ title: 'One', description: LONG });
  assert.is((await pushed('One')).token, first);
  assert.is((await running.hears('One')).event?.unread, true);

  // While any stream is open, the server remembers what it reported, however long the pause takes.
  const another = await openStream(server.url, { key: await signIn({ http: server, store: team.store }, ADA) });
  opened.onEnd(() => another.close());
  await running.obey('pause'); // It ends the stream when the next line of it comes.
  await team.post({ title: 'Two' });
  await running.reports('that the stream has ended', ({ stream }) => stream === 'ended');
  await team.post({ title: 'Three' });
  await pushed('Three');
  const paused = running.printed.length;
  await running.obey('resume');
  await running.hears('Three');
  assert.not.ok(running.changesFrom(paused).includes('everything'), 'it heard what it missed, and no more');

  const away = running.printed.length;
  await server.stop();
  await running.reports('that the stream has ended', ({ stream }) => stream === 'ended', away);
  const back = await serveHere(opened, { ...env, PUSHCTL_LISTEN: new URL(server.url).host });
  assert.is(back.url, server.url);
  await running.reports('that anything may have changed', ({ change }) => change?.kind === 'everything', away);
  await team.post({ title: 'Four' });
  await running.hears('Four');
  assert.equal(running.titles, ['One', 'Two', 'Three', 'Four']);

  await running.obey(`token ${second}`);
  await team.post({ title: 'Five' });
  assert.is((await pushed('Five')).token, second);

  await running.obey('test');
  const { test: tested } = await running.reports('of its test push', ({ test }) => test !== undefined);
  const { payload } = await sandbox.waitForPush((push) => textsOf(push.payload).event_id === tested);
  assert.is(textsOf(payload).channel, 'test');

  const { event: five } = await running.hears('Five');
  await running.obey(`mark acme ${five?.public_id}`);
  await running.reports('that nothing is unread', ({ unread }) => unread?.length === 0);
  const fitted = textsOf((await pushed('One')).payload);
  assert.is(fitted.fitted, 'true');
  await running.obey(`read ${fitted.event_id}`);
  const { read } = await running.reports('of the whole event', (message) => message.read !== undefined);
  assert.is(read?.description, LONG);

  await running.obey('sign-out');
  const { body } = await team.post({ title: 'Six' });
  assert.is(body.event.target_device_count, 0);
});

function textsOf(payload: object): Readonly<Record<string, string>> {
  return (payload as { data: Readonly<Record<string, string>> }).data;
}

app.run();
