/** What the worker says in notifications; the rest of them comes from senders and from the server. */
export const texts = {
  newEvent: 'New event',
  urgent: 'urgent',
  /** Of buttons, by what they do. */
  actions: { acknowledge: 'Acknowledge' } as Readonly<Record<string, string>>,
  notAcknowledged: 'Not acknowledged: the server does not answer.',
  /** What the server writes itself, of several alerts and of what has become of one. It speaks English. */
  ofServer: (text: string): string => text,
} as const;
