import { resolve } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Moved, Place } from '../../../store/engine-migration/move.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count, table } from '../../output/table.ts';

const DATABASE = 'postgres://pushctl@db.example.com/pushctl?sslmode=verify-full';

export function addMove(program: Command, context: CommandContext): void {
  program
    .command('move')
    .argument(
      '<from>',
      'a data folder, or the address of a database, its password in PGPASSWORD or store.password_file',
    )
    .argument('[to]', 'a folder without a database, or the address of an empty database')
    .description(
      'move everything to an empty PostgreSQL database, or to a new data folder; first stop every server on them',
    )
    .option('--undo', 'use <from> again, as it was when it was moved; what took its place must not be served then')
    .examples(
      `pushctl move /var/lib/pushctl '${DATABASE}'`,
      `pushctl move '${DATABASE}' /srv/pushctl`,
      'pushctl move --undo /var/lib/pushctl',
    )
    .action(async (from: string, to: string | undefined, { undo = false }: { undo?: boolean }) => {
      const config = await context.config();
      const source = await placeOf(from, config);
      if (undo && to !== undefined) throw new OperatorProblem('--undo takes one place alone.', 2);
      if (undo) return takeBack(context, source);
      if (to === undefined) throw new OperatorProblem('it is not said where to: pushctl move <from> <to>', 2);
      await run(context, source, await placeOf(to, config));
    });
}

async function run(context: CommandContext, from: Place, to: Place): Promise<void> {
  const { move } = await import('../../../store/engine-migration/move.ts');
  const onProgress = progressOn(context.process.stderr);
  const moved = await move({ from, to, wallMs: Date.now(), ...(onProgress && { onProgress }) }).finally(() =>
    onProgress?.(null),
  );
  context.print({ moved }, () => report(context, moved, to));
}

function report(context: CommandContext, { from, to, tables }: Moved, place: Place): string {
  const next =
    'url' in place
      ? 'name that database in [store] url of the configuration, on each machine, and start the servers'
      : 'let data_dir name that folder, take [store] out of the configuration, and start the server';
  const rows = tables.map((copied) => [copied.table, copied.rows]);
  return [
    `Moved ${from} to ${to}. Each table has as many rows there as here:`,
    table(context, ['TABLE', 'ROWS'], rows, 'none'),
    `${from} is left as it is, and is used no more. Next: ${next}.`,
  ].join('\n');
}

async function takeBack(context: CommandContext, place: Place): Promise<void> {
  const { undoMove } = await import('../../../store/engine-migration/move.ts');
  const moved = await undoMove(place);
  const here = 'folder' in place ? place.folder : 'That database';
  context.print({ undone: moved && { place: moved.place, at: toTimestamp(moved.at) } }, () =>
    moved === null
      ? `${here} was not moved, so there is nothing to undo.`
      : `${here} is used again, as it was at ${toTimestamp(moved.at)}. Serve ${moved.place} no more: both would send what waits in both.`,
  );
}

/** Parses a folder or an address. The address of a database gets the password and CA of the configuration. */
async function placeOf(text: string, { store, handedOver }: Config): Promise<Place> {
  if (!text.includes('://')) return { folder: resolve(text) };
  const { databaseMistake, databaseOf, isDatabaseUrl, withoutPassword } = await import('../../../config/database.ts');
  const caFile = store?.caFile ?? null;
  const mistake = isDatabaseUrl(text)
    ? databaseMistake(text, { hasCa: caFile !== null, hasPasswordFile: false })
    : `a folder, or an address such as ${DATABASE}`;
  if (mistake !== null) throw new OperatorProblem(`${withoutPassword(text)} is given: expected ${mistake}.`, 2);
  const { password, searchParams } = new URL(text);
  const hasPassword = password !== '' || searchParams.has('password');
  const passwordFile = hasPassword ? null : (store?.passwordFile ?? null);
  const database = databaseOf({ store: { url: text, listenUrl: null, passwordFile, caFile, node: null }, handedOver });
  return { url: database?.url ?? text };
}

/** Shows progress on terminals only. `null`: the move is over. */
function progressOn(stderr: NodeJS.WriteStream): ((copied: { table: string; rows: number } | null) => void) | null {
  if (!stderr.isTTY) return null;
  return (copied) => {
    stderr.write(`\r\u001b[K${copied === null ? '' : `${copied.table}: ${count(copied.rows, 'row')}`}`);
  };
}
