import { answerKept, type Kept, keep } from '../kept.ts';
import type { Handler } from '../request-state.ts';
import { type Described, describe } from '../routes/openapi.ts';
import type { WebFiles } from '../web/files.ts';
import { WEB_HEADERS } from '../web/routes.ts';
import { type Reference, referencePage } from './page.ts';

const STYLES = /^\/assets\/reference-.*\.css$/;

/** Answers GET /docs, made and compressed at the first request. */
export function referenceRoute(config: Described, files: WebFiles): Handler {
  let made: Kept | undefined;
  return (context) => {
    const styles = [...files.keys()].filter((address) => STYLES.test(address));
    made ??= keep(referencePage(describe(config) as unknown as Reference, styles));
    const { headers, ...answer } = answerKept(context, made);
    const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Language': 'en' };
    return { ...answer, headers: { ...WEB_HEADERS, ...headers, ...page } };
  };
}
