import { issueToken } from './sandbox/tokens.ts';

/** An FCM registration token as real ones look. The same name always gives the same token. */
export function androidToken(name: string | number): string {
  return issueToken({ platform: 'android', label: String(name) });
}
