// Looks into what somebody else's server answered, of which nothing is certain.

/** Undefined where the way there leads through anything but objects and lists. */
export function jsonField(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, name)
        ? (inside as Record<string | number, unknown>)[name]
        : undefined,
    value,
  );
}
