import type { JsonObject } from '../../../values/json.ts';
import { Body, type Cutter } from '../bodies.ts';

/**
 * Parses a message's buttons in header or query: JSON, or `view, Open, https://…; http, …`.
 * https://docs.ntfy.sh/publish/#action-buttons
 */
export function actionsIn(field: string, lists: Cutter, most: number): readonly JsonObject[] {
  const text = field.trim();
  const given = text.startsWith('[') ? new Body(`{"actions":${text}}`).object?.actions : inShortForm(text, most);
  return lists.objects('actions', given, most);
}

/** A term with an optional name, and what ends it: a comma, or a semicolon if the action ends as well. */
const TERM = /\s*(?:([-.\w]{1,50})\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,;]*))\s*([,;]|$)/gy;
/** The names of the first terms if they have none. */
const NAMES = ['action', 'label', 'url'];

/** Returns one more than allowed, to detect excess. */
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
