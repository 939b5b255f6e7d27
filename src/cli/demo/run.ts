import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { listSettings, readConfigSchema } from '../../config/settings.ts';
import { lookUp, type Table, toText } from '../../config/sources.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { packageVersion } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import type { EventRecord } from '../../push.ts';
import type { SandboxSettings } from '../../sandbox/credentials.ts';
import type { Push } from '../../sandbox/journal.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../server/server.ts';
import { eventsAddress, postEvent } from '../api.ts';
import { openSandbox } from '../open-sandbox.ts';
import { withStoreOf } from '../store.ts';
import { freePort } from './port.ts';
import { DEMO_CHANNEL, prepareWorkspace } from './workspace.ts';

/** Seconds, on a busy machine; whoever waits so long waits in vain. */
const ARRIVAL_DEADLINE_MS = 60_000;

/** What the demo tells, as it happens. */
export interface DemoOutput {
  /** A line that stays. */
  say(line: string): void;
  posted(event: EventRecord): void;
  arrived(push: Push): void;
}

export interface Demo {
  stop(): Promise<void>;
}

/** The whole of pushctl in one process, with the sandbox in the place of Apple and Google. */
export async function startDemo(folder: string, wantedPort: number, output: DemoOutput): Promise<Demo> {
  makeFolder(folder);
  const { sandbox, settings } = await openSandbox(join(folder, 'sandbox'), {
    firstPort: 0,
    acceptUnknownTokens: false,
  });
  sandbox.onPush(output.arrived);
  let server: RunningServer | null = null;
  const stop = async () => {
    await server?.stop();
    await sandbox.close();
  };
  try {
    const port = await freePort(wantedPort, output.say);
    const config = demoConfig(folder, port, settings);
    server = await startServer(config, {
      version: packageVersion(),
      log: pino({ level: 'fatal' }, pino.destination(2)),
    });
    const key = await withStoreOf(config, (store) => prepareWorkspace(store, sandbox, folder));
    const baseUrl = `${server.url}/api`;
    output.say(`Data folder  ${folder}`);
    output.say(`API          ${baseUrl}`);
    output.say(`\nSend an event of your own:\n\n${curl(baseUrl, key)}\n`);
    output.say('Ctrl-C ends the demo. Here comes the first event:\n');
    await postFirst(baseUrl, key, sandbox, output);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The demo's own settings and nothing else: neither the operator's file nor the environment concerns it. */
function demoConfig(folder: string, port: number, settings: SandboxSettings): Config {
  const values: Table = { ...settings };
  const env = Object.fromEntries(
    listSettings(readConfigSchema()).map(({ path, variable }) => {
      const value = lookUp(values, path);
      return [variable, value === undefined ? undefined : toText(value)];
    }),
  );
  return loadConfig({
    env: { ...env, PUSHCTL_LISTEN: `127.0.0.1:${port}`, PUSHCTL_DELIVERY_THREADS: '1' },
    file: null,
    dataDir: folder,
  });
}

/** Posts one event as an integrator would, and waits until both devices have it. */
async function postFirst(baseUrl: string, key: string, sandbox: Sandbox, output: DemoOutput): Promise<void> {
  const answer = await postEvent(eventsAddress(baseUrl), key, {
    channel: DEMO_CHANNEL,
    title: 'Hello from pushctl',
    description: 'This event went through the API, the queue and both providers.',
    level: 'success',
  });
  if ('unanswered' in answer) throw new OperatorProblem(answer.unanswered);
  const { status, body } = answer;
  if (status !== 202) throw new OperatorProblem(`the demo's event was refused (${status}): ${JSON.stringify(body)}`);
  const { event } = body as { event: EventRecord };
  output.posted(event);
  const fits = (route: string) =>
    sandbox.waitForPush(
      (push) => push.endpoint === route && JSON.stringify(push.payload).includes(event.public_id),
      ARRIVAL_DEADLINE_MS,
    );
  await Promise.all([fits('apns_sandbox'), fits('fcm')]);
}

/** On one line, so that it can be copied whole. */
function curl(baseUrl: string, key: string): string {
  const body = JSON.stringify({ channel: DEMO_CHANNEL, title: 'It works' });
  return [
    `curl ${baseUrl}/v1/events`,
    `-H 'Authorization: Bearer ${key}'`,
    "-H 'Content-Type: application/json' -H 'Accept: application/json'",
    `-d '${body}'`,
  ].join(' ');
}
