export const texts = {
  signIn: (name: string) => `Sign in with ${name}`,
  confirm: (name: string) => `Confirm with ${name}`,
  confirmHint: 'You will come back to this page. Then repeat what you were about to do.',
  orCode: 'Sign in with a pairing code',
  under: 'Signing in …',
  isYou: 'Confirmed',
  isYouText: 'This is valid for ten minutes. Now repeat what you were about to do.',
  back: 'Go back',
  again: 'Try again',
  failed: 'You are not signed in',
  home: 'Go to the app',
  why: {
    cross_site: 'Another website sent you here. Start the sign-in on this page.',
    other_browser:
      'This sign-in was started in another browser, was replaced by a newer one, or took more than ten minutes. Start again.',
    unavailable:
      'The provider cannot be reached at the moment. Try again later. If that does not help, an operator can give you a pairing code (pushctl member pair).',
    denied: 'The provider refused the sign-in, or you cancelled it.',
    refused: 'The answer of the provider was not valid, or was used before. Start again.',
    throttled: 'Too many sign-ins have failed from here. Wait a quarter of an hour, or use a pairing code.',
    unverified:
      'The provider does not confirm that your email address is verified. Verify it there, or ask an operator for a pairing code.',
    not_member:
      'The provider knows you, but no workspace here has a member with your email address there. Ask an owner or admin to add you.',
    linked_already:
      'The member with your email address is linked to another account at the provider. An operator can undo that (pushctl member unlink).',
    not_fresh: 'The provider did not confirm that you signed in just now. Use a passkey or a pairing code instead.',
  },
  whyElse: 'The sign-in was not completed. Start again.',
} as const;
