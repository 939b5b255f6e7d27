export const texts = {
  title: 'Members',
  about:
    'Members get the events of the channels that they choose. Admins run the workspace; owners also decide on owners.',
  loading: 'Loading members',
  invite: 'Invite',
  inviteTitle: 'Invite somebody',
  email: 'Email',
  name: 'Name',
  nameHint: 'Left empty: the email address. Who is known here keeps their name.',
  role: 'Role',
  roleOf: (who: string) => `Role of ${who}`,
  roles: { member: 'Member', admin: 'Admin', owner: 'Owner' },
  roleMeans: {
    member: 'Gets events.',
    admin: 'Gets events, and runs channels, keys and members.',
    owner: 'The same, and decides on owners.',
  },
  add: 'Invite',
  you: 'you',
  pair: 'Sign-in link',
  pairNamed: (who: string) => `Sign-in link for ${who}`,
  /** What ends something for them: the button, its name for who hears it, the question, and what was done. */
  ends: {
    signOut: {
      button: 'Sign out',
      named: (who: string) => `Sign ${who} out everywhere`,
      question: (who: string) => `Sign ${who} out everywhere?`,
      text: 'All of their sessions end now, also those in other workspaces, and a sign-in link that was not used yet is void.',
      besides:
        'Their devices stay: phones and browsers still show alerts. They remove one themselves, or pushctl device remove does on the server.',
      done: (who: string) => `${who} is signed out everywhere.`,
    },
    remove: {
      button: 'Remove',
      named: (who: string) => `Remove ${who}`,
      question: (who: string) => `Remove ${who}?`,
      text: 'They get nothing more from this workspace, from now on. Their devices lose its channels.',
      besides: null,
      done: (who: string) => `${who} is removed.`,
    },
  },
  endInvited: 'Also end the sessions that came from their sign-in links alone. Whom they let in needs a new link.',
  isNow: (who: string, role: string) => `${who} is now: ${role}.`,
  linkTitle: (who: string) => `Sign-in for ${who}`,
  linkText:
    'Give them this link, or let them scan it. It signs them in once, and an earlier one no longer works. Who is signed in already opens it there, as an invitation: it lets them into this workspace alone.',
  linkEnds: 'Works until',
  link: 'Link',
  qr: 'The link as a QR code',
  code: 'Code',
  codeText: 'To type where a link does not help: on an iPhone, in the installed app.',
  linkDone: 'Done',
} as const;
