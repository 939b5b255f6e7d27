import type { LinkedIdentity } from '../../../store/calls/members.ts';
import type { Session } from '../../../store/calls/sessions.ts';
import { given } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { addList, type Noun } from '../../noun.ts';
import { when } from '../../output/table.ts';
import { readPassword } from '../../questions.ts';

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

export function addMemberSigningIn(member: Command, context: CommandContext): void {
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
