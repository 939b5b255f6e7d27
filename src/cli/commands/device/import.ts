import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { addressSettings } from '../../../config/config.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { untilStopped } from '../../../process/until-stopped.ts';
import { type ImportLine, type ImportTarget, SERVER_ENDED, type StoreClient } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { count } from '../../output/table.ts';

const NOTHING = 'Stopped: nothing was imported.';
const GOES_ON =
  'The import is accepted as a whole. The running server registers the rest, or the next server that starts.';

export function addDeviceImport(device: Command, context: CommandContext): void {
  device
    .command('import <workspace> <email> <file>')
    .description('register many devices from NDJSON lines (a file, or - for standard input): all or none')
    .examples(
      'pushctl device import acme moved@example.com devices.ndjson',
      '# a line: {"platform":"ios","token":"0a1b…","subscribe":["builds"]}',
      '# muted: "mutes":[{"channel":"builds","min_level":"error"}]',
      '# a browser: {"platform":"web","subscription":{"endpoint":"https://…", …}}',
    )
    .action((workspace: string, email: string, file: string) => run(context, workspace, email, file));
}

/** An import's dependencies. `isStopped`: by Ctrl-C or SIGTERM. */
interface Work {
  readonly store: StoreClient;
  readonly place: ImportTarget;
  readonly lines: AsyncIterable<ImportLine>;
  readonly isStopped: () => boolean;
  /** Overwrites one line of the terminal. */
  readonly progress: (text: string) => void;
}

async function run(context: CommandContext, workspace: string, email: string, file: string): Promise<void> {
  const input = await openInput(context, file);
  // Imported before root becomes the data folder's owner, who may be unable to read it.
  const { importLines } = await import('../../import-lines.ts');
  const lines = importLines(input, addressSettings(await context.config()));
  const place = { importId: randomUUID(), workspace, email };
  const stop = new AbortController();
  void untilStopped(context.process).then(() => stop.abort());
  stop.signal.addEventListener('abort', () => input.destroy());
  using progress = progressOn(context.process.stderr);
  const done = await context.withStore(async (store) => {
    const work = { store, place, lines, isStopped: () => stop.signal.aborted, progress: progress.show };
    const devices = await commit(work, file);
    return { ...(await register(work, devices)), devices };
  });
  progress.end();
  const { imported, updated } = done;
  const left = imported + updated < done.devices ? `\nThe rest was left out: ${email} is no longer a member.` : '';
  context.print({ imported, updated }, () => `Imported ${imported} new devices and updated ${updated}.${left}`);
}

/** Shows progress on one line, and ends that line once the import is over. */
function progressOn(stderr: NodeJS.WriteStream) {
  let isShown = false;
  const end = () => {
    if (isShown) stderr.write('\n');
    isShown = false;
  };
  const show = (text: string) => {
    if (!stderr.isTTY) return;
    isShown = true;
    stderr.write(`\r${text}`);
  };
  return { show, end, [Symbol.dispose]: end };
}

/** Stages and commits the lines, all or nothing. Returns the number of devices. */
async function commit(work: Work, file: string): Promise<number> {
  const { store, place, isStopped } = work;
  try {
    const read = await stage(work).catch((error) => {
      throw isStopped() ? new OperatorProblem(NOTHING) : unstaged(file, error);
    });
    if (isStopped()) throw new OperatorProblem(NOTHING);
    if (read === 0)
      throw new OperatorProblem(`${file} has no device`, 1, { advice: 'expected one JSON object per line' });
    return unwrap(await store.commitImport(place)).devices;
  } catch (error) {
    // The server drops the import later if this fails, too.
    await store.dropImport(place).catch(() => {});
    throw error;
  }
}

/** Stages the lines and returns their number. Reads on after mistakes, to report all. Holds one part in memory. */
async function stage({ store, place, lines, progress }: Work): Promise<number> {
  const { importParts } = await import('../../import-lines.ts');
  let read = 0;
  for await (const part of importParts(lines)) {
    unwrap(await store.stageImport({ ...place, lines: part }));
    read += part.length;
    progress(`${count(read, 'line')} read`);
  }
  return read;
}

/** Registers a decided import's devices. Stopping only stops the progress. */
async function register({ store, place, isStopped, progress }: Work, devices: number) {
  try {
    for (;;) {
      // An in-process store answers at once: without this turn, signals would starve.
      await turn();
      if (isStopped()) throw new OperatorProblem('Stopped watching.');
      const { done, ...counts } = unwrap(await store.registerImported(place));
      progress(`${(counts.imported + counts.updated).toLocaleString('en')} of ${count(devices, 'device')} registered`);
      if (done) return counts;
    }
  } catch (error) {
    throw new OperatorProblem((error as Error).message.replace(/\.?$/, '.'), 1, { advice: GOES_ON });
  }
}

async function openInput({ process }: CommandContext, file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    const handle = await open(file);
    return createReadStream('', { fd: handle });
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Adds to a read error that nothing was imported. */
function unstaged(file: string, error: unknown): unknown {
  if (!(error instanceof OperatorProblem && error.code === SERVER_ENDED)) return unreadable(file, error);
  const what = 'the server stopped before it read all lines. Nothing was imported.';
  return new OperatorProblem(what, 1, { code: SERVER_ENDED, advice: 'Start it, and try again.' });
}

/** Explains an unreadable file. A folder can be opened, but its first line fails. */
function unreadable(file: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === undefined || error instanceof OperatorProblem) return error;
  return new OperatorProblem(`cannot read ${file} (${code})`, 1, {
    advice: 'name a file of NDJSON lines, or - for standard input',
  });
}
