/** Of the dialog that asks who the user is. */
export const texts = {
  title: 'Is it you?',
  text: 'This can hurt if somebody else does it. Show once that it is you: that counts for ten minutes.',
  password: 'Password',
  pairing_code: 'Pairing code',
  codeHint:
    'A fresh one: from another device of yours, or pushctl member pair on the server; from an admin, if theirs is your only workspace.',
  useCode: 'Use a pairing code instead',
  usePassword: 'Use the password instead',
  confirm: 'Go on',
} as const;
