export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Each asks pushctl itself, so that it knows what this version can do and what is in the database. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of pushctl for bash. Load it with: source <(pushctl completion bash)
_pushctl() {
  mapfile -t COMPREPLY < <(pushctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
}
complete -o default -F _pushctl pushctl
`,
  zsh: `#compdef pushctl
# Completion of pushctl for zsh. Put it into a folder of $fpath as _pushctl.
_pushctl() {
  local -a answers
  answers=("\${(@f)$(pushctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  answers=(\${answers//:/\\\\:})
  answers=(\${answers/$'\\t'/:})
  if (( \${#answers} )); then _describe pushctl answers; else _files; fi
}
if [[ $funcstack[1] == _pushctl ]]; then _pushctl; else compdef _pushctl pushctl; fi
`,
  fish: `# Completion of pushctl for fish. Load it with: pushctl completion fish | source
complete -c pushctl -a '(pushctl __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
