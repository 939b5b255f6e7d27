/** The worker's own texts; all others come from senders and server. */
export const texts = {
  newEvent: 'New event',
  urgent: 'urgent',
  /** Button names by action. */
  actions: { acknowledge: 'Acknowledge' } as Readonly<Record<string, string>>,
  notAcknowledged: 'Not acknowledged: the server does not answer.',
  /** Translates the server's English texts, about several alerts or an alert's end. */
  ofServer: (text: string): string => text,
  /** Translates a title or a text of a push about a rota. */
  ofRota: (text: string): string => text,
} as const;
