import type { Logger } from 'pino';
import { unreachable } from '../push.ts';
import type { FileChange } from '../store/sqlite/files/guard.ts';
import type { DamageReport } from '../store/transports/damage-watch.ts';

/** Logs what has become of the database's files, and what an operator can do. */
export function logFiles(log: Logger, change: FileChange): void {
  switch (change.kind) {
    case 'displaced':
      log.fatal(
        `${change.what}: nothing more is accepted (503). What was accepted before is still being sent. If the file was moved, move it back; if another was put in its place on purpose, restart the service`,
      );
      return;
    case 'saved':
      log.error(
        { file: change.file },
        `all of the database is saved. Where its own file is lost: stop the service, pushctl restore --resend ${change.file}, start the service`,
      );
      return;
    case 'not_saved':
      log.fatal(
        `the database could not be saved, and is lost when the service ends, unless its file is moved back: ${change.problem} It is tried again when the service is stopped`,
      );
      return;
    case 'back':
      log.warn('the database is back where it was, and events are accepted again');
      return;
    default:
      unreachable(change);
  }
}

/** Logs that the database's pages are at fault, once, whatever met them. */
export function logDamage(log: Logger, change: DamageReport): void {
  switch (change.kind) {
    case 'damaged': {
      const { call, reason } = change;
      if (change.isLasting)
        log.fatal(
          { call, reason },
          'the database is damaged: nothing more is accepted (503), and what was accepted before is sent as far as it can be read. See "The database is damaged" in operations.md',
        );
      else log.error({ call, reason }, 'the database cannot be read or written in a place; that is tried again');
      return;
    }
    case 'readable':
      log.warn('what could not be read or written of the database could be again');
      return;
    default:
      unreachable(change);
  }
}
