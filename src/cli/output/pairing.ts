import { renderUnicodeCompact } from 'uqr';
import { baseUrlOf, type Config } from '../../config/config.ts';
import { isLoopback } from '../../config/units.ts';
import { pairingLink, pairingPage } from '../../contract/pairing-code.ts';
import type { CommandContext } from '../context.ts';

interface Pairing {
  readonly email: string;
  readonly code: string;
  readonly link: string;
  readonly lasts: string;
}

/** Returns the link into the web app, else the team's own app. */
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

/** Notes if only this machine can open the link. */
export function noteWhereLocal(context: CommandContext, config: Config): void {
  if (isLoopback(new URL(baseUrlOf(config)).hostname.replace(/^\[|\]$/g, ''))) context.note(NO_PHONE);
}

const NO_PHONE =
  'pushctl: phones cannot reach that server, because only this machine can use its address. Set up https with `listen` and [tls], or with a proxy ([proxy] trusted). Then set base_url to the https address, and restart the server.';
