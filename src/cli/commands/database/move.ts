import { resolve } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Moved, Place } from '../../../store/engine-migration/move.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count, table } from '../../output/table.ts';

const DATABASE = 'postgres://push@db/push?sslmode=verify-full';

export function addMove(program: Command, context: CommandContext): void {
  program
    .command('move')
    .argument('<from>', 'a data folder, or the address of a database (password in PGPASSWORD or store.password_file)')
    .argument('[to]', 'a folder without a database, or the address of an empty database')
    .description(
      'move everything to an empty PostgreSQL database or a new data folder; stop every server on them first',
    )
    .option('--undo', 'use <from> again, as it was before the move; do not serve its replacement then')
    .examples(
      `pushctl move /var/lib/pushctl '${DATABASE}'`,
      `pushctl move '${DATABASE}' /srv/pushctl`,
      'pushctl move --undo /var/lib/pushctl',
    )
    .action(async (from: string, to: string | undefined, { undo = false }: { undo?: boolean }) => {
      const config = await context.ownConfig();
      const source = await placeOf(from, config);
      if (undo && to !== undefined) throw new OperatorProblem('--undo takes only one place.', 2);
      if (undo) return takeBack(context, source);
      if (to === undefined) throw new OperatorProblem('the target is missing: pushctl move <from> <to>', 2);
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
      ? 'set [store] url to that database in the configuration of each machine, and start the servers'
      : 'set data_dir to that folder, remove [store] from the configuration, and start the server';
  const rows = tables.map((copied) => [copied.table, copied.rows]);
  return [
    `Moved ${from} to ${to}. Each table has the same number of rows in both:`,
    table(context, ['TABLE', 'ROWS'], rows, 'none'),
    `${from} is left unchanged and is no longer used. Next: ${next}.`,
  ].join('\n');
}

async function takeBack(context: CommandContext, place: Place): Promise<void> {
  const { undoMove } = await import('../../../store/engine-migration/move.ts');
  const moved = await undoMove(place);
  const here = 'folder' in place ? place.folder : 'That database';
  context.print({ undone: moved && { place: moved.place, at: toTimestamp(moved.at) } }, () =>
    moved === null
      ? `${here} was not moved, so there is nothing to undo.`
      : `${here} is used again, as it was at ${toTimestamp(moved.at)}. Do not serve ${moved.place} any more, or both send the pushes that are queued in both.`,
  );
}

/** Parses a folder or address, which gets the configuration's password and CA. */
async function placeOf(text: string, { store, handedOver }: Config): Promise<Place> {
  if (!text.includes('://')) return { folder: resolve(text) };
  const { databaseMistake, databaseOf, isDatabaseUrl, withoutPassword } = await import('../../../config/database.ts');
  const caFile = store?.caFile ?? null;
  const mistake = isDatabaseUrl(text)
    ? databaseMistake(text, { hasCa: caFile !== null, hasPasswordFile: false })
    : `a folder or an address such as ${DATABASE}`;
  if (mistake !== null) throw new OperatorProblem(`${withoutPassword(text)} is given: expected ${mistake}.`, 2);
  const { password, searchParams } = new URL(text);
  const hasPassword = password !== '' || searchParams.has('password');
  const passwordFile = hasPassword ? null : (store?.passwordFile ?? null);
  const database = databaseOf({ store: { url: text, listenUrl: null, passwordFile, caFile, node: null }, handedOver });
  return { url: database?.url ?? text };
}

/** Shows progress on terminals. `null`: the end. */
function progressOn(stderr: NodeJS.WriteStream): ((copied: { table: string; rows: number } | null) => void) | null {
  if (!stderr.isTTY) return null;
  return (copied) => {
    stderr.write(`\r\u001b[K${copied === null ? '' : `${copied.table}: ${count(copied.rows, 'row')}`}`);
  };
}
