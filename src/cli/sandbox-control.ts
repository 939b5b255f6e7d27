import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { actAsOwnerOf } from '../files/act-as-owner.ts';
import { OperatorProblem } from '../process/problem.ts';
import { type Fault, parseFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

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
