import type { Command } from 'commander';
import { examples } from '../arguments.ts';
import type { Session } from '../session.ts';
import { count, size } from '../table.ts';

export function addBackup(program: Command, session: Session): void {
  program
    .command('backup <file>')
    .description('write the database to a new file, checked, also while the server runs')
    .option('--allow-empty', 'also where there is no workspace in it yet')
    .addHelpText('after', examples('pushctl backup /var/backups/pushctl-$(date +%F).db'))
    .action((file: string, { allowEmpty = false }: { allowEmpty?: boolean }) => run(session, file, allowEmpty));
}

async function run(session: Session, file: string, allowEmpty: boolean): Promise<void> {
  const config = await session.config();
  const { dataDir } = config;
  const [{ backUp }, { onData }] = await Promise.all([import('../../store/backup.ts'), import('../data-folder.ts')]);
  const onProgress = progressOn(session.process.stderr);
  const options = { dataDir, file, allowEmpty, ...(onProgress && { onProgress }) };
  const backup = await onData(session, config, () => backUp(options));
  const { bytes, events } = backup;
  session.print({ backup }, () => `Wrote ${backup.file}: ${size(bytes)}, ${count(events, 'event')}, checked.`);
}

/** Only where somebody looks. */
function progressOn(stderr: NodeJS.WriteStream): ((copied: number, total: number) => void) | null {
  if (!stderr.isTTY) return null;
  return (copied, total) => {
    const percent = total === 0 ? 100 : Math.floor((copied / total) * 100);
    stderr.write(copied < total ? `\r${percent} %` : '\r\u001b[K');
  };
}
