import { canonicalEmail, channelSlugProblem, emailProblem, workspaceSlugProblem } from '../../contract/names.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { Check } from './answers.ts';
import { answerTo, type Flags, type Prompter } from './interview.ts';

/** The person with all rights, with a workspace and a channel. */
export interface FirstOwner {
  readonly email: string;
  readonly workspace: string;
  readonly channel: string;
}

/** Asks for the first owner; null: unwanted, or no terminal. Throws `OperatorProblem` for wrong flags. */
export async function askForFirstOwner(flags: Flags, person: Prompter | null): Promise<FirstOwner | null> {
  const email = await answerTo(
    {
      path: 'owner',
      text: 'Email of the first owner, who signs in to the web app',
      flag: textOf(flags.owner),
      without: 'none for now',
      checks: [check(emailProblem)],
    },
    person,
  );
  if (email === null) {
    if (flags.workspace === undefined && flags.channel === undefined) return null;
    throw new OperatorProblem('--workspace and --channel need --owner', 2);
  }
  const slug = async (path: string, text: string, byDefault: string, problem: (slug: string) => string | null) =>
    (await answerTo({ path, text, flag: textOf(flags[path]), byDefault, checks: [check(problem)] }, person)) ??
    byDefault;
  return {
    email: canonicalEmail(email),
    workspace: await slug('workspace', 'Name of the workspace, as used in addresses', 'main', workspaceSlugProblem),
    channel: await slug('channel', 'Name of the first channel', 'alerts', channelSlugProblem),
  };
}

function check(problemOf: (answer: string) => string | null): Check {
  return async (answer) => problemOf(answer);
}

function textOf(flag: unknown): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}
