import { execFile, spawn } from 'node:child_process';
import { RunningCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Resources } from '../support/resources.ts';
import { type Env, serveHere, startTestServer, type TestServer } from '../support/server.ts';
import { DEADLINE_MS, deadlineFor } from '../support/until.ts';

/** The texts that a device shows. */
export type Shown = Readonly<Record<string, string>>;

/** A server with one Android device, for programs to post to; it goes away and comes back at the same address. */
export interface Receiver extends TestServer {
  /** Good for the channel `alerts` alone. */
  readonly key: string;
  /** The texts that the device shows, in the server's order: pushes may overtake each other. */
  readonly shown: () => readonly Shown[];
  /** The push that came as this one, counted from 1. `promiseMs`: within what time it must come, if not at once. */
  readonly nth: (count: number, promiseMs?: number) => Promise<Shown>;
  readonly goAway: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
}

/**
 * It listens where nothing else on this machine does, so that its port is free when it comes back. Each test file that
 * uses it names an address of its own.
 */
export async function aReceiver(opened: Resources, address: string, env: Env = {}): Promise<Receiver> {
  const parts = await startTestServer(opened, { env: { PUSHCTL_LISTEN: `${address}:0`, ...env } });
  const { sandbox, server, team } = parts;
  await team.addDevice(sandbox, { platform: 'android' });
  const { text: key } = await team.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
  const textsOf = ({ data }: { readonly data?: unknown }) => data as Shown;
  return {
    ...parts,
    key,
    shown: () => sandbox.pushes.map(({ payload }) => textsOf(payload)).sort(byReceipt),
    async nth(count, promiseMs = 0) {
      const { payload } = await sandbox.waitForPush(({ number }) => number === count, deadlineFor(promiseMs));
      return textsOf(payload);
    },
    goAway: () => server.stop(),
    async comeBack() {
      await serveHere(opened, { ...parts.env, PUSHCTL_LISTEN: new URL(server.url).host });
    },
  };
}

export interface Ended {
  readonly exitCode: number | null;
  /** The output of both streams. */
  readonly output: string;
}

/** Timestamps of one time zone are in the order of their text. */
function byReceipt({ received_at: first = '' }: Shown, { received_at: second = '' }: Shown): number {
  return first < second ? -1 : Number(first > second);
}

/** Runs a program until it ends. */
export function runProgram(command: string, args: readonly string[], env: Env = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env: ownEnv(env), timeout: DEADLINE_MS }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, output: stdout + stderr }),
    );
  });
}

/** Starts a program that goes on for a while. */
export function startProgram(opened: Resources, command: string, args: readonly string[], env: Env = {}): RunningCli {
  const running = new RunningCli(spawn(command, args, { env: ownEnv(env), stdio: ['ignore', 'pipe', 'pipe'] }));
  opened.onEnd(() => running.stop('SIGKILL'));
  return running;
}

/** Neither a proxy nor the settings of the user who runs the tests. */
function ownEnv(env: Env): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: temporaryFolder(), ...env };
}
