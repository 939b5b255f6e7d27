import { renderUnicodeCompact } from 'uqr';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { isLoopback } from '../../config/units.ts';
import { pairingLink, pairingPage } from '../../contract/pairing-code.ts';
import type { CommandContext } from '../context.ts';

/** A pairing code as it is shown at a terminal. */
export interface Pairing {
  readonly email: string;
  readonly code: string;
  readonly link: string;
  /** How long it is good. */
  readonly lasts: string;
}

/** Into the web app, or where there is none, into the team's own. */
export function linkFor(config: Config, code: string): string {
  return (config.web.enabled ? pairingPage : pairingLink)(baseUrlOf(config), code);
}

export function pairingText(config: Config, { email, code, link, lasts }: Pairing): string {
  return [
    renderUnicodeCompact(link),
    '',
    `Link: ${link}`,
    `Code for ${email}: ${code}`,
    `Server: ${baseUrlOf(config)}`,
    `Good for ${lasts}, once.`,
  ].join('\n');
}

/** Says where the link works on this machine alone. */
export function noteWhereLocal(context: CommandContext, config: Config): void {
  if (isLoopback(new URL(baseUrlOf(config)).hostname.replace(/^\[|\]$/g, ''))) context.note(NO_PHONE);
}

const NO_PHONE =
  'pushctl: no phone reaches that server: its address is of this machine alone. Set base_url to the https address under which phones reach it, through a proxy in front ([proxy] trusted) or with `listen` and [tls], and restart the server.';
