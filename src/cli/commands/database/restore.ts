import { OperatorProblem } from '../../../process/problem.ts';
import type { Restored } from '../../../store/sqlite/files/restore.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { count } from '../../output/table.ts';
import { ask } from '../../questions.ts';
import { refusePostgres } from './backup.ts';

export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore <file>')
    .description('replace the database with a backup, and keep the old database aside; stop the server first')
    .option('--resend', 'also send the pushes that were queued in the backup (most of them were sent since)')
    .option('--withdraw', 'do not send queued pushes; without either option, a terminal asks')
    .option(
      '--drill',
      'only test the backup: restore it into a scratch folder (in TMPDIR), count its contents, and remove it',
    )
    .examples(
      'pushctl restore /var/backups/pushctl-2026-11-21.db',
      'pushctl restore --drill /var/backups/pushctl-2026-11-21.db',
    )
    .action(async (file: string, options: RestoreOptions) => {
      if (options.drill) return tryOut(context, file, options);
      const config = await context.ownConfig();
      refusePostgres(
        config,
        'Stop every server of this installation, and restore the database with the program that made its backup. Run `pushctl queue withdraw` before the first server starts, because most queued pushes were sent since:',
      );
      const { dataDir } = config;
      const { restore, waitingIn } = await import('../../../store/sqlite/files/restore.ts');
      const resend = await isToBeSent(context, options, () => waitingIn(file));
      const sent = resend ? await waitingIn(file) : null;
      const restored = restore({ dataDir, file, resend, wallMs: Date.now() });
      context.print({ restored }, () => report(file, restored, sent));
    });
}

interface RestoreOptions {
  readonly drill?: boolean;
  readonly resend?: boolean;
  readonly withdraw?: boolean;
}

/** Tries a restore without configuration and server, as on backup machines. */
async function tryOut(context: CommandContext, file: string, { resend, withdraw }: RestoreOptions): Promise<void> {
  if (resend || withdraw) throw new OperatorProblem('--drill sends and withdraws nothing', 2);
  const { drill } = await import('../../../store/sqlite/files/drill.ts');
  const drilled = drill(file, Date.now());
  const { workspaces, devices, events } = drilled;
  const counts = [count(workspaces, 'workspace'), count(devices, 'device'), count(events, 'event')].join(', ');
  context.print({ drilled }, () => `${file} can be restored: ${counts}. Nothing was changed.`);
}

/** Returns whether to send the backup's queue. Asks at a terminal; scripts withdraw by default. */
async function isToBeSent(
  { process }: CommandContext,
  { resend = false, withdraw = false }: RestoreOptions,
  waitingIn: () => Promise<number | null>,
): Promise<boolean> {
  if (resend && withdraw) throw new OperatorProblem('--resend and --withdraw contradict each other', 2);
  if (resend || withdraw || !process.stdin.isTTY) return resend;
  const waiting = await waitingIn();
  if (!waiting) return false;
  const answer = await ask(
    process,
    `${count(waiting, 'push', 'pushes')} were queued in the backup, and most may have been sent since. "send" or "withdraw" them? `,
  );
  if (answer !== 'send' && answer !== 'withdraw') throw new OperatorProblem('nothing was changed');
  return answer === 'send';
}

/** Reports the restore. `sent`: queued pushes that are sent. */
function report(file: string, restored: Restored, sent: number | null): string {
  const { events, withdrawn, scheduled_ended: ended, scheduled_kept: waiting, kept, other_webpush_key } = restored;
  const lines = [`Restored ${file}: ${count(events, 'event')}.`];
  if (kept !== null) lines.push(`The previous database is kept as ${kept}.`);
  if (other_webpush_key) lines.push(OTHER_KEY);
  if (sent) lines.push(`${count(sent, 'push', 'pushes')} queued in the backup will be sent.`);
  if (withdrawn > 0) {
    const what = `${count(withdrawn, 'push', 'pushes')} queued in the backup will not be sent`;
    lines.push(`${what}. To send them, restore with --resend.`);
  }
  if (ended > 0) {
    const what = `${count(ended, 'scheduled event')} became due since the backup`;
    lines.push(`${what}, may have been sent, and will not be sent now. To send them, restore with --resend.`);
  }
  if (waiting > 0) {
    const what = `${count(waiting, 'scheduled event')} will be sent at their time`;
    lines.push(`${what}: pushctl event list <workspace> --scheduled`);
  }
  return lines.join('\n');
}

const OTHER_KEY =
  'Its Web Push key differs from the previous key. Browsers that subscribed with the previous key get no pushes until they open the web app.';
