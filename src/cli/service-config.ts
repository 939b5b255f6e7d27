import { SYSTEM_CONFIG_FILE } from '../config/config.ts';
import { serviceDataDir } from '../host/installed.ts';
import type { CommandContext } from './context.ts';

/**
 * Returns whether this user got defaults since only root may read the service's configuration. `file`: the one read;
 * null: none.
 */
export function isServiceConfigHidden({ process }: Pick<CommandContext, 'process'>, file: string | null): boolean {
  return file === null && process.getuid?.() !== 0 && serviceDataDir() !== null;
}

const HIDDEN = `only root may read ${SYSTEM_CONFIG_FILE}`;

/** `verb`: the words of the command. */
export function noteOnHiddenConfig(verb: string): string {
  return `pushctl: ${HIDDEN}, the configuration of the service on this machine. To read it: sudo pushctl ${verb}`;
}

/** Advice for a silent default address. */
export const GUESSED_ADDRESS = [
  `This address is a guess, because ${HIDDEN}, which has the address of the service.`,
  'Pass the address with --server (sudo pushctl status shows it; append /api).',
].join(' ');
