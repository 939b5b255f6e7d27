import type { Target } from './poster.ts';

/** How a post looks to a server. Its body is ASCII, and `before` and `after` stand around what makes it one of a kind. */
export interface PostForm {
  readonly path: string;
  readonly headers: readonly string[];
  readonly before: string;
  readonly after: string;
  /** What it is answered with. */
  readonly status: number;
}

export type FormName = 'pushctl' | 'ntfy' | 'gotify';

const TITLE = 'Disk nearly full on db-1';
const TEXT = 'The volume /var/lib/postgresql is 91 % full and grows by 2 % an hour.';

/** The same event for each server, in the form that its own documentation begins with. */
export const POST_FORMS: Readonly<Record<FormName, (target: Target) => PostForm>> = {
  pushctl: ({ apiKey, channel, urgency }) => ({
    path: '/api/v1/events',
    headers: [`Authorization: Bearer ${apiKey}`, 'Accept: application/json', 'Content-Type: application/json'],
    ...aroundLastValue({
      channel,
      title: TITLE,
      description: TEXT,
      level: 'warning',
      event_type: 'disk.full',
      ...(urgency && { delivery_urgency: urgency }),
      idempotency_key: '',
    }),
    status: 202,
  }),
  ntfy: ({ channel }) => ({
    path: `/${channel}`,
    headers: [`Title: ${TITLE}`, 'Priority: high', 'Tags: disk.full'],
    before: `${TEXT} `,
    after: '',
    status: 200,
  }),
  gotify: ({ apiKey }) => ({
    path: '/message',
    headers: [`X-Gotify-Key: ${apiKey}`, 'Content-Type: application/json'],
    ...aroundLastValue({ title: TITLE, priority: 8, message: `${TEXT} ` }),
    status: 200,
  }),
};

/** JSON before and after the end of its last value, which has to be a string. */
function aroundLastValue(body: Readonly<Record<string, unknown>>): Pick<PostForm, 'before' | 'after'> {
  const json = JSON.stringify(body);
  return { before: json.slice(0, -2), after: json.slice(-2) };
}
