import type { Schema } from '../api/client.ts';
import { addressesIn } from '../manage/members/addresses.ts';

type Weekday = NonNullable<Schema<'HandoverRule'>['weekday']>;
export type RotaTerms = Omit<Schema<'RotaRequest'>, 'slug'>;

/** Returns a rota's filled-in fields. Words that are no address stay, so that the server names them. */
export function termsOf(data: FormData): RotaTerms {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const every = text('every') === 'day' ? 'day' : 'week';
  const { emails, others } = addressesIn(text('members'));
  const startsOn = text('starts_on');
  return {
    ...(text('name') !== '' && { name: text('name') }),
    members: [...emails, ...others],
    timezone: text('timezone'),
    handover: {
      every,
      count: Number(text('count')),
      at: text('at'),
      ...(every === 'week' && { weekday: text('weekday') as Weekday }),
    },
    ...(startsOn !== '' && { starts_on: startsOn }),
    announce: data.has('announce'),
  };
}
