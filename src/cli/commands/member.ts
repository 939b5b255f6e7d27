import { Argument, Option } from 'commander';
import { createPairingCode, PAIRING_CODE_LIFE_MS } from '../../contract/pairing-code.ts';
import { ROLES, type Role } from '../../push.ts';
import type { LinkedIdentity } from '../../store/calls/members.ts';
import type { Session } from '../../store/calls/sessions.ts';
import type { Member } from '../../store/calls.ts';
import { given } from '../arguments.ts';
import { addList, type Command, type Noun, thingView } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { show, when } from '../output/table.ts';
import { readPassword } from '../questions.ts';

const MEMBER: Noun<Member> = {
  name: 'member',
  plural: 'members',
  columns: { EMAIL: ({ email }) => email, NAME: ({ name }) => name, ROLE: ({ role }) => role },
  empty: 'No members yet. Add one: pushctl member add <workspace> <email>',
};

interface AddOptions {
  readonly name?: string;
  readonly role: Role;
  readonly passwordStdin?: boolean;
}

export function addMember(program: Command, context: CommandContext): void {
  const member = program
    .command('member')
    .description('people: they own devices and sign in with the app')
    .examples('pushctl member add acme ada@example.com');

  member
    .command('add <workspace> <email>')
    .description('add a person to a workspace')
    .option('--name <name>', 'name of the person')
    .addOption(new Option('--role <role>', 'role of the person').choices(ROLES).default('member'))
    .option('--password-stdin', 'read the password from standard input')
    .examples(
      'pushctl member add acme ada@example.com --name "Ada Lovelace" --role owner',
      'pushctl member add acme bob@example.com --password-stdin < password.txt',
    )
    .action((workspace: string, email: string, options: AddOptions) => add(context, workspace, email, options));

  addList(member, context, MEMBER, {
    usage: 'list <workspace>',
    description: 'list the people of a workspace',
    examples: ['pushctl member list acme'],
    ask: (workspace) => (store) => store.listMembers({ workspace }),
  });

  member
    .command('rename <email> <name>')
    .description('rename a person in all workspaces; their sign-in address stays the same')
    .examples('pushctl member rename ada@example.com "Ada Lovelace"')
    .action(async (email: string, name: string) => {
      const user = unwrap(await context.withStore((store) => store.renameUser({ email, name })));
      context.print({ user }, () => `${user.email} is now called ${show(user.name)}.`);
    });

  member
    .command('role <workspace> <email>')
    .addArgument(new Argument('<role>', 'role of the person').choices(ROLES))
    .description('change the role of a person; they stay signed in and subscribed')
    .examples('pushctl member role acme ada@example.com admin')
    .action(async (workspace: string, email: string, role: Role) => {
      const changed = unwrap(await context.withStore((store) => store.setMemberRole({ workspace, email, role })));
      const text = () =>
        changed.waits ? withInvitation(context, changed.member) : thingView(MEMBER)(context, changed.member);
      context.print({ member: changed.member }, text);
    });

  member
    .command('remove <workspace> <email>')
    .description('remove a person from a workspace; their devices get no more pushes from it')
    .option('--end-invited', 'revoke access granted by their invitations, and end sessions that have no other access')
    .examples('pushctl member remove acme ada@example.com')
    .action(async (workspace: string, email: string, { endInvited = false }: { endInvited?: boolean }) => {
      const removed = unwrap(await context.withStore((store) => store.removeMember({ workspace, email, endInvited })));
      context.print({ member: removed }, () => `Removed ${removed.email} from ${workspace}.`);
    });

  member
    .command('pair <email>')
    .description(
      'create a one-time code with a link and QR code, valid for 15 minutes, that signs in a phone or browser',
    )
    .examples('pushctl member pair ada@example.com')
    .action((email: string) => pair(context, email));

  addMemberSigningIn(member, context);
}

async function add(context: CommandContext, workspace: string, email: string, options: AddOptions): Promise<void> {
  const { name, role, passwordStdin } = options;
  const password = passwordStdin ? await readPassword(context) : undefined;
  const args = given({ workspace, email, name, role, password });
  await context.show('member', (store) => store.addMember(args), withInvitation);
}

/** Shows a member, and that the role needs a link, even if signed in. */
function withInvitation(context: CommandContext, member: Member): string {
  const next = `To use this role, they need a new link, even if they are signed in: pushctl member pair ${member.email}`;
  return `${thingView(MEMBER)(context, member)}\n${next}`;
}

async function pair(context: CommandContext, email: string): Promise<void> {
  const code = createPairingCode();
  const args = { email, codeHash: code.hash, lifeMs: PAIRING_CODE_LIFE_MS };
  const config = await context.config();
  const owner = unwrap(await context.withStore((store) => store.createPairingCode(args)));
  const { linkFor, noteWhereLocal, pairingText } = await import('../output/pairing.ts');
  const pairing = { email: owner.email, code: code.text, link: linkFor(config, code.text), lasts: '15 minutes' };
  const text = pairingText(config, pairing);
  context.print({ pairing_code: code.text, link: pairing.link, expires_at: owner.expires_at }, () => text);
  if (!context.options.json) noteWhereLocal(context, config);
}

const SESSION: Noun<Session> = {
  name: 'session',
  plural: 'sessions',
  columns: {
    SESSION: ({ id }) => id,
    SINCE: ({ created_at }) => when(created_at),
    'LAST SEEN': ({ last_seen_at }) => when(last_seen_at),
    'VOUCHED FOR': ({ vouched_for }) =>
      vouched_for
        .map(({ workspace, role }) => (workspace === null ? 'everything' : `${workspace} (${role})`))
        .join(', '),
    CLIENT: ({ user_agent }) => user_agent,
  },
  empty: 'No sessions. To sign in a phone, create a pairing code: pushctl member pair <email>',
};
const IDENTITY: Noun<LinkedIdentity> = {
  name: 'identity',
  plural: 'identities',
  columns: {
    ISSUER: ({ issuer }) => issuer,
    SUBJECT: ({ subject }) => subject,
    SINCE: ({ linked_at }) => when(linked_at),
  },
  empty: 'They have never signed in through a provider.',
};

function addMemberSigningIn(member: Command, context: CommandContext): void {
  member
    .command('password <email>')
    .description('set the password of a person, from the terminal or standard input; ends all their sessions')
    .examples('pushctl member password ada@example.com', 'pushctl member password ada@example.com < password.txt')
    .action(async (email: string) => {
      const password = await readPassword(context);
      const changed = unwrap(await context.withStore((store) => store.setPassword({ email, password })));
      context.print(changed, () => `${changed.email} has a new password. ${ended(changed.closed)}`);
    });

  addList(member, context, SESSION, {
    usage: 'sessions <email>',
    description: 'list the sessions of a person, and the workspaces that each session may use',
    examples: ['pushctl member sessions ada@example.com'],
    ask: (email) => (store) => store.listSessions({ email }),
  });

  member
    .command('sign-out <email>')
    .description('end the sessions of a person and void their unused pairing code; their devices still get pushes')
    .option('--session <id>', 'only this session, as shown by `member sessions`')
    .examples(
      'pushctl member sign-out ada@example.com',
      'pushctl member sign-out ada@example.com --session 5f1c0a9b33de',
    )
    .action(async (email: string, { session: id }: { session?: string }) => {
      const closed = unwrap(await context.withStore((store) => store.closeSessions(given({ email, id }))));
      context.print(closed, () => ended(closed.closed));
    });

  addList(member, context, IDENTITY, {
    usage: 'identities <email>',
    description: 'list the identities of a person at the sign-in provider',
    examples: ['pushctl member identities ada@example.com'],
    ask: (email) => (store) => store.listIdentities({ email }),
  });

  member
    .command('unlink <email>')
    .description(
      'delete the identities of a person at the sign-in provider, and end their sessions; the next sign-in there with their address is linked again',
    )
    .examples('pushctl member unlink ada@example.com')
    .action(async (email: string) => {
      const done = unwrap(await context.withStore((store) => store.unlinkIdentities({ email })));
      context.print(done, () =>
        done.unlinked === 0
          ? `${done.email} was not linked.`
          : `${done.email} is unlinked. Ended sessions: ${done.closed}.`,
      );
    });
}

function ended(count: number): string {
  return count === 1 ? 'One session ended.' : `${count} sessions ended.`;
}
