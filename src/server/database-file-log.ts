import type { Logger } from 'pino';
import { unreachable } from '../push.ts';
import type { FileNews } from '../store/sqlite/files/guard.ts';

/** Logs what has become of the database's files, and what an operator can do. */
export function tellOfFiles(log: Logger, news: FileNews): void {
  switch (news.kind) {
    case 'displaced':
      log.fatal(
        `${news.what}: nothing more is accepted (503). What was accepted before is still being sent. If the file was moved, move it back; if another was put in its place on purpose, restart the service`,
      );
      return;
    case 'saved':
      log.error(
        { file: news.file },
        `all of the database is saved. Where its own file is lost: stop the service, pushctl restore --resend ${news.file}, start the service`,
      );
      return;
    case 'not_saved':
      log.fatal(
        `the database could not be saved, and is lost when the service ends, unless its file is moved back: ${news.problem} It is tried again when the service is stopped`,
      );
      return;
    case 'back':
      log.warn('the database is back where it was, and events are accepted again');
      return;
    default:
      unreachable(news);
  }
}
