/**
 * Prefixes of keys and tokens, and pairing codes, which are never all digits. `tk_` alone is too short, so the id (12
 * characters) and the secret must follow.
 */
const KEY_OR_TOKEN = /pctl_|pses_|pdev_|pcal_|gtfya\.|tk_[0-9a-z]{13}/i;
const PAIRING_CODE = /^(?!\d+$)[0-9a-tv-z]{5}-?[0-9a-tv-z]{5}$/i;

export function isLikeSecret(text: string): boolean {
  return KEY_OR_TOKEN.test(text) || PAIRING_CODE.test(text);
}
