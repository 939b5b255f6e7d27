/** Where systemd puts the copies that it makes for a service, and the names that the unit's `LoadCredential` gives to them. */
const COPIES = /\/run\/credentials\/[^/\s]+\/(pushctl_)?/g;

/**
 * The same text with the operator's own files in it: of what lies in /etc/pushctl the service reads copies, in a folder that
 * nobody else sees. A copy that another `LoadCredential` makes is called by its name, as its original is not known here.
 */
export function withOperatorPaths(text: string): string {
  return text.replaceAll(COPIES, (_, ours?: string) => (ours === undefined ? 'credential ' : '/etc/pushctl/'));
}
