import { type Command, Help } from 'commander';
import { SYSTEM_CONFIG_FILE } from '../config/config.ts';

/** Returns the man page (man(7)), made of the help texts. */
export function manual(program: Command, version: string): string {
  return [
    `.TH PUSHCTL 1 "" "pushctl ${roff(version)}" "pushctl"`,
    section('NAME', `pushctl \\- ${roff(lowerFirst(program.description()))}`),
    section('SYNOPSIS', '.B pushctl\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]'),
    section('OPTIONS', options(program)),
    section('COMMANDS', leaves(program).map(command).join('\n')),
    section('ENVIRONMENT', ENVIRONMENT),
    section('FILES', FILES),
    section('EXIT STATUS', EXIT_STATUS),
  ].join('\n');
}

function command(leaf: Command): string {
  const examples = examplesOf(leaf).map(roff);
  return [
    `.SS ${roff(pathOf(leaf))}`,
    `.B ${roff(pathOf(leaf))} ${roff(leaf.usage())}`,
    `.PP\n${roff(upperFirst(leaf.description()))}.`,
    options(leaf),
    ...(examples.length > 0 ? ['.PP\nFor example:\n.RS\n.nf', ...examples, '.fi\n.RE'] : []),
  ]
    .filter(Boolean)
    .join('\n');
}

function options(of: Command): string {
  const help = new Help();
  const visible = help.visibleOptions(of).filter(({ long }) => long !== '--help');
  return visible.map((entry) => `.TP\n\\fB${roff(entry.flags)}\\fR\n${roff(entry.description)}`).join('\n');
}

/** Returns the executable commands, in help order. */
function leaves(of: Command): readonly Command[] {
  const inner = new Help().visibleCommands(of).filter((subcommand) => subcommand.name() !== 'help');
  return inner.flatMap((subcommand) => (subcommand.commands.length > 0 ? leaves(subcommand) : [subcommand]));
}

function pathOf(of: Command): string {
  return of.parent === null ? of.name() : `${pathOf(of.parent)} ${of.name()}`;
}

/** Returns the examples. Commander prints them after the help, but does not return them. */
function examplesOf(leaf: Command): readonly string[] {
  const shown: string[] = [];
  const before = leaf.configureOutput();
  leaf.configureOutput({ ...before, writeOut: (text) => void shown.push(text) });
  leaf.outputHelp();
  leaf.configureOutput(before);
  return [...shown.join('').matchAll(/^ {2}\$ (.*)$/gm)].map(([, line]) => line ?? '');
}

function section(title: string, text: string): string {
  return `.SH ${title}\n${text}`;
}

/** Escapes text for man(7): no requests, and dashes that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}

const ENVIRONMENT = `.TP
.B PUSHCTL_CONFIG
The configuration file.
.TP
.B PUSHCTL_\\fISETTING\\fR
A setting, named by its path in capitals joined by _: apns.key_file is PUSHCTL_APNS_KEY_FILE. It overrides the file.
.TP
.B PUSHCTL_API_KEY
The key that \\fBpushctl send\\fR and \\fBpushctl sendmail\\fR post with.
.TP
.B NO_COLOR
Print without colours.`;

const FILES = `.TP
.I ${SYSTEM_CONFIG_FILE}
The configuration. It explains every setting.
.TP
.I /var/lib/pushctl
The data folder: the database, and the socket of the running server.`;

const EXIT_STATUS = `0: done. 1: failed. 2: wrong usage or configuration. 75: pushctl send gave up for now; try again later. pushctl sendmail uses the codes of sysexits.h.`;
