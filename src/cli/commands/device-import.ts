import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { OperatorProblem } from '../../problem.ts';
import type { NewDevice, StoreClient } from '../../store/calls.ts';
import { examples } from '../arguments.ts';
import { granted, type Session } from '../session.ts';

const PART = 1_000;
const SHOWN_MISTAKES = 20;

export function addDeviceImport(device: Command, session: Session): void {
  device
    .command('import <workspace> <email> <file>')
    .description('register many devices from NDJSON lines (a file, or - for standard input): all of them or none')
    .addHelpText(
      'after',
      examples(
        'pushctl device import acme moved@example.com devices.ndjson',
        '# a line: {"platform":"ios","token":"0a1b…","environment":"production","subscribe":["builds"]}',
      ),
    )
    .action((workspace: string, email: string, file: string) => run(session, workspace, email, file));
}

async function run(session: Session, workspace: string, email: string, file: string): Promise<void> {
  const { parseImport } = await import('../import-lines.ts');
  const { devices, mistakes } = await parseImport(await openInput(session, file)).catch((error) => {
    throw unreadable(file, error);
  });
  if (mistakes.length > 0) throw new OperatorProblem(badLines(mistakes));
  if (devices.length === 0) throw new OperatorProblem(`there is no device in ${file}: expected one JSON object a line`);
  const done = await session.withStore(async (store) => {
    const importId = randomUUID();
    await stage(session, store, importId, devices);
    return granted(await store.commitImport({ importId, workspace, email }));
  });
  session.print(done, () => `Imported ${done.imported} new devices and updated ${done.updated}.`);
}

async function openInput({ process }: Session, file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    const handle = await open(file);
    return createReadStream('', { fd: handle });
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A folder can be opened, but not read: that comes out with the first line only. */
function unreadable(file: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === undefined || error instanceof OperatorProblem) return error;
  return new OperatorProblem(`cannot read ${file} (${code}): name a file of NDJSON lines, or - for standard input`);
}

async function stage(
  session: Session,
  store: StoreClient,
  importId: string,
  devices: readonly NewDevice[],
): Promise<void> {
  const { stderr } = session.process;
  for (let from = 0; from < devices.length; from += PART) {
    const { staged } = await store.stageImport({ importId, devices: devices.slice(from, from + PART) });
    if (stderr.isTTY) stderr.write(`\r${staged} of ${devices.length} devices`);
  }
  if (stderr.isTTY) stderr.write('\n');
}

function badLines(mistakes: readonly string[]): string {
  const shown = mistakes.slice(0, SHOWN_MISTAKES);
  const more = mistakes.length - shown.length;
  const count = mistakes.length === 1 ? 'a line is' : `${mistakes.length} lines are`;
  return [`${count} wrong, nothing was imported`, ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ');
}
