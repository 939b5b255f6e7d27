/** What a new key can do at once, as a command to paste into a shell. */
export function readyCommand(
  origin: string,
  key: string,
  may: { readonly post: boolean; readonly channel: string },
): string {
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (!may.post) return `curl ${origin}/api/v1/channels \\\n  ${bearer}`;
  // A slug has no character that a shell or JSON would read otherwise.
  return `curl ${origin}/api/v1/events \\
  ${bearer} \\
  -H 'Content-Type: application/json' \\
  -d '{"channel": "${may.channel}", "title": "It works"}'`;
}
