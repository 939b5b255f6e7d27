import type { Command } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { table, when } from '../../output/table.ts';

/** The commands of `member` that are about who a person is at the provider of `[oidc]`. */
export function addMemberIdentities(member: Command, context: CommandContext): void {
  member
    .command('identities <email>')
    .description('list who they are at the provider that people sign in by')
    .examples('pushctl member identities ada@example.com')
    .action(async (email: string) => {
      const identities = unwrap(await context.withStore((store) => store.listIdentities({ email })));
      context.print({ identities }, () => {
        const rows = identities.map(({ issuer, subject, linked_at }) => [issuer, subject, when(linked_at)]);
        return table(context, ['ISSUER', 'SUBJECT', 'SINCE'], rows, 'They have never signed in by a provider.');
      });
    });

  member
    .command('unlink <email>')
    .description(
      'forget who they are at the provider, and end their sessions; who signs in there next with their address is linked anew',
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
