import { Argument } from 'commander';
import { databaseOf } from '../../config/database.ts';
import type { LoadOptions } from '../../config/load.ts';
import { packageVersion } from '../../process/package.ts';
import type { Name, NameQuery } from '../../store/names.ts';
import type { Command } from '../command.ts';
import type { LookUp } from '../completion/candidates.ts';
import { A_FILE, SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../output/table.ts';

export function addCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description(
      'print a completion script for a shell: commands, options and names in the database (workspaces, channels, members, ids)',
    )
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .examples('source <(pushctl completion bash)', 'pushctl completion fish | source')
    .action((shell: Shell) => {
      context.print({ shell, script: SCRIPTS[shell] }, () => SCRIPTS[shell].trimEnd());
    });

  program
    .command('__complete', { hidden: true })
    .argument('[words...]', 'the words after `pushctl`; the last word is completed')
    .action((words: readonly string[]) => complete(program, context, words));

  program.command('__manual', { hidden: true }).action(async () => {
    const { manual } = await import('../manual.ts');
    context.process.stdout.write(`${manual(program, packageVersion())}\n`);
  });
}

/** Prints candidates by line, with a tab and description. Hides errors, which would disturb typing. */
async function complete(program: Command, { process }: CommandContext, words: readonly string[]): Promise<void> {
  const { candidates, globalsIn } = await import('../completion/candidates.ts');
  const lookUp: LookUp = async (query) => {
    try {
      const { config: file, dataDir } = globalsIn(program, words);
      return await namesOf({ env: process.env, file, dataDir, uid: process.getuid?.() }, query);
    } catch {
      return [];
    }
  };
  const found = await candidates(program, words, lookUp);
  const lines = found === 'file' ? [`${A_FILE}\n`] : found.map(({ value, about }) => `${value}\t${show(about)}\n`);
  process.stdout.write(lines.join(''));
}

async function namesOf(sources: LoadOptions, query: NameQuery): Promise<readonly Name[]> {
  const { loadOrAsk } = await import('../loaded.ts');
  const { config } = await loadOrAsk(sources);
  const database = databaseOf(config);
  if (database === null) {
    const { listNames } = await import('../../store/sqlite/names-offline.ts');
    return listNames(config.dataDir, query);
  }
  const { listNames } = await import('../../store/postgres/names-offline.ts');
  return listNames(database.url, query);
}
