import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Option } from 'commander';
import { baseUrlOf } from '../config/config.ts';
import { whyUnreadable } from '../config/named-file.ts';
import { OperatorProblem } from '../process/problem.ts';
import { durationOption } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { type Answered, eventsAddress, type NewEvent, postEvent } from './post-event.ts';
import { postWithRetries } from './post-with-retries.ts';

/** Twice the 60 s after which a key's burst limit is free again. */
const RETRY_FOR = '2m';

/** The posting address. `hint`: advice without an answer. */
interface Place {
  readonly address: URL;
  readonly hint: string;
}

export interface Posting extends Place {
  readonly key: string;
  readonly retryForMs: number;
}

export function retryForOption(): Option {
  const description = 'how long to retry after 429, 5xx or no answer; then exit with 75';
  return durationOption('--retry-for <duration>', description, RETRY_FOR);
}

export function post(context: CommandContext, event: NewEvent, posting: Posting): Promise<Answered> {
  const { address, hint, key, retryForMs } = posting;
  const once = async () => {
    const result = await postEvent(address, key, event);
    return 'unanswered' in result ? { ...result, unanswered: result.unanswered + hint } : result;
  };
  const { note } = context;
  return postWithRetries(once, { retryForMs, note, wait, now: () => performance.now(), random: Math.random });
}

/** Returns the posting address: `server`, else the configured. */
export async function addressOf(context: CommandContext, server: string | undefined): Promise<Place> {
  if (server !== undefined) return { address: eventsAddress(server), hint: '' };
  const { GUESSED_ADDRESS, isServiceConfigHidden } = await import('./service-config.ts');
  const config = await context.config();
  const { file } = await context.loaded();
  const isGuess = config.baseUrl === null && isServiceConfigHidden(context, file);
  return { address: eventsAddress(baseUrlOf(config)), hint: isGuess ? ` ${GUESSED_ADDRESS}` : '' };
}

export function readKey({ process }: CommandContext, file: string | undefined): string {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new OperatorProblem(`the key file ${file} ${whyUnreadable(error)}`, 1, {
        advice: 'name a file with the API key that this user can read',
      });
    }
  }
  const key = process.env.PUSHCTL_API_KEY?.trim();
  if (key) return key;
  throw new OperatorProblem('no API key', 2, { advice: 'set PUSHCTL_API_KEY, or pass a file with --key-file' });
}
