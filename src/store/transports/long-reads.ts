import { setTimeout as pause } from 'node:timers/promises';
import { type Groups, Turns, whoIsRefused } from '../../values/turns.ts';
import type { Reader } from '../calls.ts';
import type { CallRequest, Reply } from '../reply.ts';

/** Waiting questions: of all, of one workspace, of one person. */
const PLACES = { all: 50, workspace: 10, person: 6 };
/** Workspaces and people remembered. */
const MOST_GROUPS = 10_000;

const REFUSED_AFTER_MS = 1_000;
/** The reply to a question for which there is no place. */
export const OVERLOADED: Reply = { kind: 'unavailable', reason: 'overloaded' };

/** The reply to a question that is not answered any more. */
export const CLOSED: Reply = { kind: 'unavailable', reason: 'closed' };

interface Waiting {
  readonly groups: Groups;
  readonly reader: Reader | undefined;
  readonly resolve: (reply: Reply) => void;
}

/**
 * The questions that wait for others that take long. Workspaces take turns, and so do the people in each of them. If
 * too many wait, the youngest question of the busiest caller is rejected.
 */
export class LongReads<T extends Waiting> {
  #waiting: readonly T[] = [];
  readonly #turns = new Turns(MOST_GROUPS);

  /** Adds a question, which leaves with its reader. Refuses one of too many. */
  add(question: T): void {
    question.reader?.signal.addEventListener('abort', () => this.#remove(question, CLOSED), { once: true });
    this.#waiting = [...this.#waiting, question];
    const refused = this.#chooseRefused(question);
    if (refused !== undefined) this.#remove(refused, OVERLOADED);
  }

  /** Takes the next in turn. */
  next(): T | undefined {
    const next = this.#turns.next(this.#waiting);
    if (next === undefined) return undefined;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    this.#turns.served(next.groups);
    return next;
  }

  clear(): readonly T[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #remove(question: T, reply: Reply): void {
    if (!this.#waiting.includes(question)) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== question);
    question.resolve(reply);
  }

  #chooseRefused({ groups: [workspace, person] }: T): T | undefined {
    const ofPerson = this.#waiting.filter(({ groups }) => groups[1] === person);
    if (person !== undefined && ofPerson.length > PLACES.person) return ofPerson.at(-1);
    const ofWorkspace = this.#waiting.filter(({ groups }) => groups[0] === workspace);
    if (workspace !== undefined && ofWorkspace.length > PLACES.workspace) return whoIsRefused(ofWorkspace);
    return this.#waiting.length > PLACES.all ? whoIsRefused(this.#waiting) : undefined;
  }
}

/** Returns refusals late: clients retrying at once would keep the HTTP thread busy. */
export async function slowlyRefused(asked: Promise<Reply>): Promise<Reply> {
  const reply = await asked;
  if (reply === OVERLOADED) await pause(REFUSED_AFTER_MS);
  return reply;
}

/** The workspace and its asker. None: the server, or an operator about everything. */
export function groupsOf({ args, actor }: CallRequest, reader?: Reader): Groups {
  if (reader !== undefined) return reader.groups;
  const asked = args as Readonly<Partial<Record<'workspace' | 'ofWorkspace', string>> & { workspaceId?: number }>;
  const byId = asked.workspaceId === undefined ? undefined : `#${asked.workspaceId}`;
  const ofWorkspace = asked.ofWorkspace ?? asked.workspace ?? byId;
  const person = actor?.kind === 'key' ? actor.id : actor?.name;
  if (ofWorkspace === undefined && actor?.kind !== 'user') return [];
  return [`workspace ${ofWorkspace ?? ''}`, ...(person === undefined ? [] : [`${actor?.kind} ${person}`])];
}
