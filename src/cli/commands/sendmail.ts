import { CommanderError, Option } from 'commander';
import { collect } from '../arguments.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { retryForOption } from '../posting.ts';
import type { SendmailOptions } from '../sendmail/send-mail.ts';

/** Ignored options of sendmail, with and without a value. */
const PASSED_OVER = {
  valued: ['-A', '-B', '-C', '-d', '-F', '-f', '-h', '-L', '-N', '-O', '-p', '-R', '-r', '-V', '-X'],
  plain: ['-G', '-m', '-n', '-U', '-v'],
};

/** sysexits.h */
const EX_USAGE = 64;

export function addSendmail(program: Command, context: CommandContext): void {
  const sendmail = program
    .command('sendmail [recipients...]')
    .description('post the mail on standard input as an event; replaces /usr/sbin/sendmail for cron and others')
    .option('-t', 'take the recipients from the mail')
    .option('-i', 'do not end the mail at a line with only a dot (also -oi)')
    .option('--channel <slug>', 'channel to post to (default: sendmail.channel, else the names of the recipients)')
    .option('--key-file <file>', 'read the API key from this file (default: PUSHCTL_API_KEY, else sendmail.key_file)')
    .option('--server <base_url>', 'base URL of the service, ends with /api (default: base_url, else listen)')
    .addOption(retryForOption())
    .addOption(new Option('-b <mode>').hideHelp())
    .addOption(new Option('-q [interval]').hideHelp())
    .addOption(new Option('-o <option>').argParser(collect).hideHelp())
    .helpOption('--help', 'display help for command')
    .allowUnknownOption()
    .exitOverride(({ code, exitCode, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : EX_USAGE, code, message);
    })
    .examples(
      'ln -s /usr/local/bin/pushctl /usr/sbin/sendmail',
      'printf "Subject: Disk full\\n\\ndb-1 has 2 GB left\\n" | pushctl sendmail --key-file /etc/pushctl-key alerts',
    )
    .action(async (operands: readonly string[], options: SendmailOptions) => {
      const { sendMail } = await import('../sendmail/send-mail.ts');
      await sendMail(context, operands, options);
    });
  for (const flag of PASSED_OVER.valued) sendmail.addOption(new Option(`${flag} <value>`).hideHelp());
  for (const flag of PASSED_OVER.plain) sendmail.addOption(new Option(flag).hideHelp());
}
