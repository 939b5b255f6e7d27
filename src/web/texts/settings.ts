export const texts = {
  title: 'Settings',
  account: 'Account',
  signedInAs: (name: string, email: string) => (name === email ? email : `${name}, ${email}`),
  appearance: 'Appearance',
  schemes: { system: 'As the system', light: 'Light', dark: 'Dark' },
} as const;
