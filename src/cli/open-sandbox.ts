import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { LARGEST_PORT } from '../config/units.ts';
import { actAsOwnerOf } from '../files/act-as-owner.ts';
import { OperatorProblem } from '../process/problem.ts';
import type { SandboxSettings } from '../sandbox/credentials.ts';
import { type Fault, parseFault } from '../sandbox/faults.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';

interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly settings: SandboxSettings;
}

/**
 * Starts a sandbox with the keys in `folder`, and makes missing ones; root makes them as the folder's owner.
 * `firstPort` 0: any free ports.
 */
export async function openSandbox(
  folder: string,
  options: Pick<SandboxOptions, 'firstPort' | 'acceptUnknownTokens' | 'topics' | 'openListener'>,
): Promise<OpenSandbox> {
  using _ = actAsOwnerOf(folder);
  try {
    const sandbox = await startSandbox({ ...options, restoreFrom: folder });
    return { sandbox, settings: await sandbox.writeCredentials(folder) };
  } catch (error) {
    const { code, port: taken, path } = error as NodeJS.ErrnoException & { port?: number };
    const advice = 'pass the first of twelve free ports with --port';
    if (code === 'EADDRINUSE') throw new OperatorProblem(`port ${taken} is in use`, 1, { advice });
    if (code === 'ERR_SOCKET_BAD_PORT') throw new OperatorProblem(`ports end at ${LARGEST_PORT}`, 2, { advice });
    if (path !== undefined) {
      const what = `cannot keep the sandbox's keys in ${folder}: ${path} (${code}).`;
      throw new OperatorProblem(what, 1, { advice: 'Pass a folder that this user can write with --credentials.' });
    }
    throw error;
  }
}

function controlSocket(folder: string): string {
  return join(folder, 'sandbox.sock');
}

/**
 * Serves a socket that takes faults, one a line, replaces the current ones and answers with the new. Root makes it as
 * the folder's owner.
 */
export async function serveControl(folder: string, sandbox: Pick<Sandbox, 'setFaults'>): Promise<Server> {
  using _ = actAsOwnerOf(folder);
  const path = controlSocket(folder);
  // The socket of an ended sandbox.
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => socket.destroy());
    const faults = linesOf(await readText(socket)).flatMap((line) => parseFault(line) ?? []);
    sandbox.setFaults(faults);
    socket.end(faults.map(({ text }) => `${text}\n`).join(''));
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  return server;
}

/**
 * Sets the faults and returns those in force. Throws an `OperatorProblem` if no sandbox runs with its keys in `folder`.
 */
export async function askForFaults(folder: string, faults: readonly Fault[]): Promise<readonly string[]> {
  using _ = actAsOwnerOf(folder);
  const path = controlSocket(folder);
  const socket = connect({ path, allowHalfOpen: true });
  try {
    await once(socket, 'connect');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorProblem(`no sandbox runs with its keys in ${folder} (${code})`, 1, {
      advice: 'Start a sandbox: pushctl sandbox. If its keys are elsewhere, pass their folder with --credentials.',
    });
  }
  socket.end(faults.map(({ text }) => `${text}\n`).join(''));
  return linesOf(await readText(socket));
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
