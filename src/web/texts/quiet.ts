import type { Schema } from '../api/client.ts';

export const reasons: Readonly<Record<Schema<'Quiet'>['reason'], string>> = {
  notice: 'says how an alert ended or who has it',
  acknowledged: 'the alert was acknowledged',
  maintenance: 'maintenance',
  ring_after: 'the alert had not rung yet',
  quiet_hours: 'quiet hours',
  storm: 'the channel had rung as often as it may',
  not_on_call: 'someone else is on call',
};

export const texts = {
  until: (reason: string, time: string) => `${reason} until ${time}`,
  by: (reason: string, name: string) => `${reason}, by ${name}`,
  onCall: 'On call',
  isOnCall: (name: string) => `${name} is on call`,
  isUnreachable: (name: string) => `${name} is on call and could not be reached, so it rang for everyone`,
} as const;
