import type { JsonObject } from '../../../values/json.ts';
import { Body, type Cutter } from '../bodies.ts';

/**
 * The buttons of a message, as a header field or the query has them: in JSON, or as `view, Open, https://…; http, …`.
 * https://docs.ntfy.sh/publish/#action-buttons
 */
export function actionsIn(field: string, lists: Cutter, most: number): readonly JsonObject[] {
  const text = field.trim();
  const given = text.startsWith('[') ? new Body(`{"actions":${text}}`).object?.actions : inShortForm(text, most);
  return lists.objects('actions', given, most);
}

/** A term with its name, if it has one, and what ends it: a comma, or a semicolon where the action ends as well. */
const TERM = /\s*(?:([-.\w]{1,50})\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,;]*))\s*([,;]|$)/gy;
/** The names of the first terms, where they have none. */
const NAMES = ['action', 'label', 'url'];

/** One more than there may be, so that it is known that there are. */
function inShortForm(text: string, most: number): readonly JsonObject[] {
  const actions: Record<string, string>[] = [];
  let action: Record<string, string> = {};
  let place = 0;
  for (const [, name, double, single, bare = '', end] of text.matchAll(TERM)) {
    if (actions.length > most) break;
    if (place === 0) actions.push(action);
    action[name?.toLowerCase() ?? NAMES[place] ?? ''] = double ?? single ?? bare.trim();
    place += 1;
    if (end !== ';') continue;
    action = {};
    place = 0;
  }
  return actions.filter(({ action }) => action !== '');
}
