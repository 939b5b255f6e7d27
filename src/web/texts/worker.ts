/** Texts of the worker in notifications. All others come from senders and from the server. */
export const texts = {
  newEvent: 'New event',
  urgent: 'urgent',
  /** The names of buttons by their action. */
  actions: { acknowledge: 'Acknowledge' } as Readonly<Record<string, string>>,
  notAcknowledged: 'Not acknowledged: the server does not answer.',
  /**
   * Translates texts that the server writes itself, about several alerts or about the end of one. The server speaks
   * English.
   */
  ofServer: (text: string): string => text,
} as const;
