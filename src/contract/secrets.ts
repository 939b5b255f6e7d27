/**
 * The prefixes of API keys, session tokens and device tokens, anywhere in a text, and a pairing code, which is never all digits. `tk_` is
 * too short to be recognised by itself: a key has its public id behind it, 12 characters, and then the secret.
 */
const KEY_OR_TOKEN = /pctl_|pses_|pdev_|gtfya\.|tk_[0-9a-z]{13}/i;
const PAIRING_CODE = /^(?!\d+$)[0-9a-tv-z]{5}-?[0-9a-tv-z]{5}$/i;

/** Whether a text could be one of the secrets that pushctl issues. It may merely look like one. */
export function isLikeSecret(text: string): boolean {
  return KEY_OR_TOKEN.test(text) || PAIRING_CODE.test(text);
}
