import type { Account } from '../format.ts';

/**
 * Returns the account that Home Assistant reads at set-up, before it asks for a token to keep:
 * https://github.com/binwiederhier/ntfy/blob/main/server/types.go, apiAccountResponse and apiAccountTokenResponse.
 */
export function account({ name, events, allowance, keptMs }: Account): object {
  const messages = allowance ?? UNLIMITED;
  return {
    username: name,
    role: 'user',
    limits: {
      basis: 'tier',
      messages,
      messages_expiry_duration: Math.floor(keptMs / 1_000),
      emails: 0,
      calls: 0,
      reservations: 0,
      attachment_total_size: 0,
      attachment_file_size: 0,
      attachment_expiry_duration: 0,
      attachment_bandwidth: 0,
    },
    stats: {
      messages: events,
      messages_remaining: Math.max(0, messages - events),
      emails: 0,
      emails_remaining: 0,
      calls: 0,
      calls_remaining: 0,
      reservations: 0,
      reservations_remaining: 0,
      attachment_total_size: 0,
      attachment_total_size_remaining: 0,
    },
  };
}

/** Clients want a number, and some of them one of 32 bits. */
const UNLIMITED = 2_147_483_647;
