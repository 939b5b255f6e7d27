import { Argument } from 'commander';
import { databaseOf } from '../../config/database.ts';
import type { LoadOptions } from '../../config/load.ts';
import { packageVersion } from '../../process/package.ts';
import type { Name, NameQuery } from '../../store/records.ts';
import type { Command } from '../command.ts';
import type { LookUp } from '../completion/candidates.ts';
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
    const { listNames } = await import('../../store/sqlite/offline.ts');
    return listNames(config.dataDir, query);
  }
  const { listNames } = await import('../../store/postgres/offline.ts');
  return listNames(database.url, query);
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Replaces the candidates if a file is expected, whose name the shell completes. */
const A_FILE = '\tfile';

/** Scripts ask pushctl, which knows its commands and the database's names. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of pushctl for bash. Load it with: source <(pushctl completion bash)
_pushctl() {
  local answers
  answers=$(pushctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if [[ $answers == $'\\tfile' ]]; then compopt -o default
  elif [[ $answers ]]; then mapfile -t COMPREPLY < <(cut -f1 <<< "$answers"); fi
}
complete -F _pushctl pushctl
`,
  zsh: `#compdef pushctl
# Completion of pushctl for zsh. Put it into a folder of $fpath as _pushctl.
_pushctl() {
  local -a answers
  answers=("\${(@f)$(pushctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $answers == $'\\tfile' ]]; then _files; return; fi
  answers=(\${answers//:/\\\\:})
  answers=(\${answers/$'\\t'/:})
  _describe pushctl answers
}
if [[ $funcstack[1] == _pushctl ]]; then _pushctl; else compdef _pushctl pushctl; fi
`,
  fish: `# Completion of pushctl for fish. Load it with: pushctl completion fish | source
function __pushctl_complete
  set -l answers (pushctl __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test "$answers" = \\tfile
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $answers
  end
end
complete -c pushctl -f -a '(__pushctl_complete)'
`,
};
