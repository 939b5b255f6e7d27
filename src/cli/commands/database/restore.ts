import type { Command } from 'commander';
import type { Restored } from '../../../store/sqlite/files/restore.ts';
import { examples } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { count } from '../../output/table.ts';
import { refusePostgres } from './postgres-business.ts';

export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore <file>')
    .description('put a backup in the place of the database, which is kept aside; the server must be stopped')
    .option('--resend', 'also send what was waiting when the backup was made (most of it has gone out since)')
    .addHelpText('after', examples('pushctl restore /var/backups/pushctl-2026-11-21.db'))
    .action(async (file: string, { resend = false }: { resend?: boolean }) => {
      const config = await context.config();
      refusePostgres(
        config,
        'Stop every server of this installation, restore the database as its backup was made, and run `pushctl queue withdraw` before the first one starts, as what waited then has gone out since:',
      );
      const { dataDir } = config;
      const { restore } = await import('../../../store/sqlite/files/restore.ts');
      const restored = restore({ dataDir, file, resend, wallMs: Date.now() });
      context.print({ restored }, () => report(file, restored));
    });
}

function report(file: string, { events, withdrawn, kept, other_webpush_key }: Restored): string {
  return [
    `Restored ${file}: ${count(events, 'event')}.`,
    ...(kept === null ? [] : [`The database from before is kept as ${kept}.`]),
    ...(other_webpush_key
      ? [
          'Its key for Web Push is another one than before. Browsers that subscribed with the one from before get no pushes until the web app is opened in them.',
        ]
      : []),
    ...(withdrawn === 0
      ? []
      : [
          `${count(withdrawn, 'push', 'pushes')} waited in it and will not be sent. To send them, restore with --resend.`,
        ]),
  ].join('\n');
}
