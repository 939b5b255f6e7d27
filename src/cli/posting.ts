import { readFileSync } from 'node:fs';
import { baseUrlOf } from '../config/config.ts';
import { whyUnreadable } from '../config/named-file.ts';
import { OperatorProblem } from '../problem.ts';
import type { CommandContext } from './context.ts';
import { eventsAddress } from './post-event.ts';

/** Where events are posted. `hint`: what there is to add where no server answers. */
interface Place {
  readonly address: URL;
  readonly hint: string;
}

/** Where to post: `server`, else as the configuration has it. */
export async function addressOf(context: CommandContext, server: string | undefined): Promise<Place> {
  if (server !== undefined) return { address: eventsAddress(server), hint: '' };
  const { loadConfigFrom } = await import('../config/load.ts');
  const { GUESSED_ADDRESS, isServiceConfigHidden } = await import('./service-config.ts');
  const { config, file } = loadConfigFrom(context.sources());
  const isGuess = config.baseUrl === null && isServiceConfigHidden(context, file);
  return { address: eventsAddress(baseUrlOf(config)), hint: isGuess ? ` ${GUESSED_ADDRESS}` : '' };
}

/** The API key in that file, else of the environment. */
export function readKey({ process }: CommandContext, file: string | undefined): string {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new OperatorProblem(`the key file ${file} ${whyUnreadable(error)}`, 1, {
        advice: 'name a file that this user can read, with the API key in it',
      });
    }
  }
  const key = process.env.PUSHCTL_API_KEY?.trim();
  if (key) return key;
  throw new OperatorProblem('no API key', 2, { advice: 'set PUSHCTL_API_KEY, or name a file with --key-file' });
}
