/** Of the sign-in by a provider: its button, and what it came to. */
export const texts = {
  signIn: (name: string) => `Sign in with ${name}`,
  confirm: (name: string) => `Show it to ${name}`,
  confirmHint: 'You come back to this page; do then again what you were about to do.',
  orCode: 'Sign in with a pairing code',
  under: 'Signing in …',
  isYou: 'It is you',
  isYouText: 'That counts for ten minutes. Do again what you were about to do.',
  back: 'Go back',
  again: 'Try again',
  failed: 'You are not signed in',
  home: 'Go to the app',
  why: {
    cross_site: 'Another site has led you here. Begin the sign-in on this page.',
    other_browser:
      'This browser did not begin this sign-in, began another one since, or it took more than ten minutes. Begin again.',
    unavailable:
      'The provider cannot be asked at this time. Try again in a while. If it stays away, an operator can give you a pairing code (pushctl member pair).',
    denied: 'The provider did not sign you in, or you did not want to.',
    refused: 'What the provider sent was not good, or was used before. Begin again.',
    throttled: 'Too many sign-ins have failed from here. Wait a quarter of an hour, or use a pairing code.',
    unverified:
      'The provider does not say that your email address was verified. Have that done there, or ask an operator for a pairing code.',
    not_member:
      'The provider knows you, but no workspace here has a member with your email address there. Ask an owner or admin to add you.',
    linked_already:
      'The member with your email address is linked to another account at the provider. An operator can undo that (pushctl member unlink).',
    not_fresh:
      'The provider did not say that you have just shown who you are. Confirm by a passkey or a pairing code instead.',
  },
  whyElse: 'The sign-in did not come to its end. Begin again.',
} as const;
