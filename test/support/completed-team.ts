import { InProcessCli as Cli } from './cli.ts';
import { aWorkspace } from './workspace.ts';

/** A data folder with words to complete. */
export async function aCompletedTeam(): Promise<{ readonly cli: Cli; readonly keyId: string }> {
  const cli = new Cli('[fcm]\nservice_account_file = "account.json"');
  const key = await cli.populate(async (store) => {
    const acme = await aWorkspace(store, { channels: ['alerts', 'builds'], owner: null });
    await acme.addWorkspace('beta', { channels: ['other'] });
    return acme.issueKey({ name: 'ci' });
  });
  return { cli, keyId: key.id };
}
