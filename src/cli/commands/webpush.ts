import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';

export function addWebPush(program: Command, context: CommandContext): void {
  const webpush = program.command('webpush').description('pushes to browsers').examples('pushctl webpush key');

  webpush
    .command('key')
    .description('show the public key that browsers subscribe with; it is created when first needed')
    .examples('pushctl webpush key')
    .action(async () => {
      const shown = await context.withStore((store) => store.showWebPushKey({}));
      context.print(shown, () => shown.public_key);
    });
}
