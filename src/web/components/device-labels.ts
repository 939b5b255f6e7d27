interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * What each of a person's devices is called on the page, by its id. Where several have one name, a number follows it, in
 * their order, which is that in which they were added.
 */
export function deviceLabels(devices: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(
    devices.map((device) => {
      const same = devices.filter(({ name }) => name === device.name);
      return [device.id, same.length > 1 ? `${device.name} (${same.indexOf(device) + 1})` : device.name];
    }),
  );
}
