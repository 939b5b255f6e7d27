interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the label of each device by its id. Devices with the same name get a number, in the order in which they were
 * added.
 */
export function deviceLabels(devices: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(
    devices.map((device) => {
      const same = devices.filter(({ name }) => name === device.name);
      return [device.id, same.length > 1 ? `${device.name} (${same.indexOf(device) + 1})` : device.name];
    }),
  );
}
