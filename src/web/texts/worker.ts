/** What the worker says in notifications; the rest of them comes from senders and from the server. */
export const texts = {
  newEvent: 'New event',
  urgent: 'urgent',
  /** Of buttons, by what they do. */
  actions: { acknowledge: 'Acknowledge' } as Readonly<Record<string, string>>,
} as const;
