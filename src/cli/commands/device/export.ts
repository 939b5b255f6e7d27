import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { putInPlace } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { untilStopped } from '../../../process/until-stopped.ts';
import type { ExportedDevice, StoreClient } from '../../../store/calls.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { ALL, pagesOf } from '../../output/listing.ts';
import { count } from '../../output/table.ts';

const DETAILS = `
Each line is a device with its token, its channels in this workspace and its
muted channels, in the format of device import. Inactive devices are left out,
because an import would send pushes to their dead tokens again. An import gives
all devices to one member. To keep the owners, export each member with --email.

A browser accepts pushes only from the key pair that it subscribed with. The
pair is in this installation's database and its backups. Elsewhere, the line of
a browser works only after a restore.

Anyone with the tokens and the provider's key can send to the devices. Keep the
file as secret as the database.
`;

interface ExportOptions {
  readonly email?: string;
}
interface Counts {
  exported: number;
  inactive: number;
}

export function addDeviceExport(device: Command, context: CommandContext): void {
  device
    .command('export <workspace> <file>')
    .description(
      'write the devices of a workspace with their tokens to a new file (mode 0600), or to standard output (-)',
    )
    .option('--email <email>', 'only those of one member')
    .details(DETAILS)
    .examples(
      'pushctl device export acme devices.ndjson',
      'pushctl device export acme - --email ada@example.com | gpg -er ops@example.com > ada.gpg',
    )
    .action((workspace: string, file: string, options: ExportOptions) => {
      const whose = { workspace, ...options };
      return file === '-' ? toOutput(context, whose) : toFile(context, whose, resolve(file));
    });
}

type Whose = { readonly workspace: string } & ExportOptions;

async function toOutput(context: CommandContext, whose: Whose): Promise<void> {
  if (context.options.json) {
    throw new OperatorProblem('the lines are not a single JSON document', 2, {
      advice: 'name a file, or drop --json',
    });
  }
  const { stdout } = context.process;
  const counts = await context.withStore((store) =>
    write(store, whose, async (text) => void (stdout.write(text) || (await once(stdout, 'drain')))),
  );
  context.note(described(counts));
}

/** Writes the file; failed or stopped exports leave none. */
async function toFile(context: CommandContext, whose: Whose, file: string): Promise<void> {
  if (existsSync(file)) throw new OperatorProblem(`${file} exists already.`, 1, { advice: 'Name a new file.' });
  const unfinished = `${file}.${context.process.pid}.part`;
  const handle = await create(unfinished);
  const stop = new AbortController();
  void untilStopped(context.process).then(() => stop.abort());
  try {
    const counts = await context.withStore((store) =>
      write(store, whose, async (text) => {
        if (stop.signal.aborted) throw new OperatorProblem('Stopped: nothing was exported.');
        await handle.write(text);
      }),
    );
    await handle.close();
    using _ = actAsOwnerOf(file);
    putInPlace(unfinished, file);
    context.print({ ...counts, file }, () => `Wrote ${file}. ${described(counts)}`);
  } finally {
    await handle.close();
    using _ = actAsOwnerOf(file);
    rmSync(unfinished, { force: true });
  }
}

/** Makes a file, owner-only from the start. Root acts as the path's owner. */
async function create(file: string): Promise<FileHandle> {
  using _ = actAsOwnerOf(file);
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    throw new OperatorProblem(`${file} cannot be created: ${(error as Error).message}.`);
  }
}

async function write(store: StoreClient, whose: Whose, out: (text: string) => Promise<void>): Promise<Counts> {
  const counts: Counts = { exported: 0, inactive: 0 };
  const pages = pagesOf('devices', ALL, async (limit, after) => {
    const page = unwrap(await store.exportDevices(given({ ...whose, limit, after })));
    counts.exported += page.devices.length;
    counts.inactive += page.inactive;
    return page;
  });
  for await (const devices of pages) {
    await out(linesOf(devices));
    // An in-process store answers at once: without this turn, signals would starve.
    await turn();
  }
  return counts;
}

function linesOf(devices: readonly ExportedDevice[]): string {
  return devices.map((device) => `${JSON.stringify(device)}\n`).join('');
}

function described({ exported, inactive }: Counts): string {
  const left = inactive === 0 ? '' : ` ${count(inactive, 'inactive one')} ${inactive === 1 ? 'was' : 'were'} left out.`;
  return `Exported ${count(exported, 'device')}.${left}`;
}
