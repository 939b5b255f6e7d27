import { zoneHere } from '../../format/wall-clock.ts';
import { Options } from './options.tsx';

/** The time zones of a select, by name. Without `chosen`, the zone of the shown times. */
export function TimeZones({ chosen = zoneHere }: { readonly chosen?: string | undefined }) {
  const zones = [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();
  return <Options of={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])} chosen={chosen} />;
}
