interface Named {
  readonly id: string;
  readonly name: string;
}

/** Returns each device's label by id. Equal names are numbered in order of addition. */
export function deviceLabels(devices: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(
    devices.map((device) => {
      const same = devices.filter(({ name }) => name === device.name);
      return [device.id, same.length > 1 ? `${device.name} (${same.indexOf(device) + 1})` : device.name];
    }),
  );
}
