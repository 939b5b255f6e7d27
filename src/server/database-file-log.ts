import type { Logger } from 'pino';
import { unreachable } from '../push.ts';
import type { FileChange } from '../store/sqlite/files/guard.ts';
import type { DamageReport } from '../store/transports/damage-watch.ts';

export function logFiles(log: Logger, change: FileChange): void {
  switch (change.kind) {
    case 'displaced':
      log.fatal(
        `${change.what}: new events are rejected (503). Accepted events are still sent. If the file was moved, move it back. If it was replaced on purpose, restart the service`,
      );
      return;
    case 'saved':
      log.error(
        { file: change.file },
        `the database is saved in another file. If its own file is lost: stop the service, pushctl restore --resend ${change.file}, start the service`,
      );
      return;
    case 'not_saved':
      log.fatal(
        `the database could not be saved: ${change.problem} Move its file back, or the data is lost when the service ends. The server retries the save when it stops`,
      );
      return;
    case 'back':
      log.warn('the database file is back, and events are accepted again');
      return;
    default:
      unreachable(change);
  }
}

/** Logs damaged pages once, whatever met them. */
export function logDamage(log: Logger, change: DamageReport): void {
  switch (change.kind) {
    case 'damaged': {
      const { call, reason } = change;
      if (change.isLasting)
        log.fatal(
          { call, reason },
          'the database is damaged: new events are rejected (503). Accepted events are sent as far as they can be read. See "The database is damaged" in operations.md',
        );
      else log.error({ call, reason }, 'a page of the database cannot be read or written; the server retries');
      return;
    }
    case 'readable':
      log.warn('the page of the database can be read and written again');
      return;
    default:
      unreachable(change);
  }
}
