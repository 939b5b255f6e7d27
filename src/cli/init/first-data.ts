import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { Values } from '../../config/example.ts';
import { defaultDataDir, loadConfig } from '../../config/load.ts';
import type { FieldProblem } from '../../contract/details.ts';
import { canonicalEmail, emailProblem, slugProblem, workspaceSlugProblem } from '../../contract/names.ts';
import { createPairingCode, FIRST_PAIRING_CODE_LIFE_MS } from '../../contract/pairing-code.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { StoreClient } from '../../store/calls.ts';
import { databasePath } from '../../store/data-folder.ts';
import { listNames } from '../../store/sqlite/offline.ts';
import { argumentSentence, type CommandContext, unwrap } from '../context.ts';
import { isOthers, onData } from '../data-folder.ts';
import { linkFor, pairingText } from '../output/pairing.ts';
import { withStoreOf } from '../store.ts';
import type { Check } from './answers.ts';
import { answerTo, type Flags, type Prompter } from './interview.ts';

/** A device that gets all of the first channel. */
export interface NewDevice {
  readonly platform: 'ios' | 'android';
  readonly token: string;
  readonly name: string;
}

interface AddedOwner {
  readonly document: Readonly<Record<string, string>>;
  /** The text for a terminal, with the link as QR code. */
  readonly text: string;
}

export function dataDirOf({ options, process }: CommandContext, values: Values): string {
  const named = options.dataDir ?? (process.env.PUSHCTL_DATA_DIR || values.get('data_dir'));
  return String(named ?? defaultDataDir(process.env, process.getuid?.()));
}

/**
 * Returns whether the data folder has a workspace and so an owner. Also true if unknown: a shared database is not asked
 * before the configuration exists. An installed service makes its database, without a workspace, at the first start.
 */
export async function canHaveOwner(context: CommandContext, values: Values): Promise<boolean> {
  if (values.has('store.url') || context.process.env.PUSHCTL_STORE_URL) return true;
  const dataDir = dataDirOf(context, values);
  if (!existsSync(databasePath(dataDir))) return false;
  try {
    return (await listNames(dataDir, { of: 'workspaces' })).length > 0;
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return true;
  }
}

/**
 * Adds a new configuration's first owner. A database by root becomes the service's at its first start
 * (`StateDirectory=`, systemd.exec(5)).
 */
export async function addOwner(
  context: CommandContext,
  file: string,
  first: FirstOwner,
  devices: readonly NewDevice[],
): Promise<AddedOwner> {
  try {
    const config = loadConfig({ ...context.sources(), file });
    const { code, expiresAt } = await onData(context, config, (location) =>
      withStoreOf(config, (store) => makeWorkspace(store, first, devices), !isOthers(location)),
    );
    return describe(config, first, { code, expiresAt, devices });
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    throw new OperatorProblem(`${file} was written, but the first owner was not added: ${error.message}`, 1, {
      advice: `Fix that, then run: pushctl workspace create ${first.workspace}, pushctl member add ${first.workspace} ${first.email} --role owner, pushctl member pair ${first.email}`,
    });
  }
}

/** Makes missing workspace, channel, owner and devices, and a sign-in code. */
async function makeWorkspace(
  store: StoreClient,
  { email, workspace, channel }: FirstOwner,
  devices: readonly NewDevice[],
) {
  const workspaces = await store.listWorkspaces({});
  if (!workspaces.some(({ slug }) => slug === workspace)) unwrap(await store.createWorkspace({ slug: workspace }));
  const channels = unwrap(await store.listChannels({ workspace }));
  if (!channels.some(({ slug }) => slug === channel)) unwrap(await store.createChannel({ workspace, slug: channel }));
  const members = unwrap(await store.listMembers({ workspace }));
  if (!members.some((member) => member.email === email)) {
    unwrap(await store.addMember({ workspace, email, role: 'owner' }));
  }
  for (const device of devices) {
    unwrap(await store.addDevice({ workspace, email, subscribe: [channel], ...device }));
  }
  const code = createPairingCode();
  const args = { email, codeHash: code.hash, lifeMs: FIRST_PAIRING_CODE_LIFE_MS };
  return { code: code.text, expiresAt: unwrap(await store.createPairingCode(args)).expires_at };
}

interface Added {
  readonly code: string;
  readonly expiresAt: string;
  readonly devices: readonly NewDevice[];
}

function describe(config: Config, first: FirstOwner, { code, expiresAt, devices }: Added): AddedOwner {
  const link = linkFor(config, code);
  return {
    document: { ...first, pairing_code: code, link, expires_at: expiresAt },
    text: [
      ...(devices.length === 0
        ? []
        : [`The devices ${devices.map(({ name }) => name).join(' and ')} get what is posted to ${first.channel}.`]),
      `When the server runs, ${first.email} can sign in here (workspace ${first.workspace}, channel ${first.channel}):`,
      pairingText(config, { email: first.email, code, link, lasts: 'an hour' }),
    ].join('\n'),
  };
}

/** The person with all rights, with a workspace and a channel. */
interface FirstOwner {
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
  const slug = async (path: string, text: string, byDefault: string, problem: (slug: string) => FieldProblem | null) =>
    (await answerTo({ path, text, flag: textOf(flags[path]), byDefault, checks: [check(problem)] }, person)) ??
    byDefault;
  return {
    email: canonicalEmail(email),
    workspace: await slug('workspace', 'Name of the workspace, as used in addresses', 'main', workspaceSlugProblem),
    channel: await slug('channel', 'Name of the first channel', 'alerts', slugProblem),
  };
}

function check(problemOf: (answer: string) => FieldProblem | null): Check {
  return async (answer) => {
    const problem = problemOf(answer);
    return problem && argumentSentence(problem);
  };
}

function textOf(flag: unknown): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}
