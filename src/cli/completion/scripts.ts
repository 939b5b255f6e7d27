export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Replaces the candidates if a file is expected, whose name the shell completes. */
export const A_FILE = '\tfile';

/** Scripts ask pushctl, which knows its commands and the database's names. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
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
