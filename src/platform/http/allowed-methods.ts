// Which methods an address knows, so that a known address asked with another method is 405 and an unknown one 404.
export class AllowedMethods {
  readonly #routes: { method: string; pattern: RegExp }[] = [];

  add(methods: string | string[], url: string): void {
    const pattern = new RegExp(
      `^${url
        .replace(/\/$/, '')
        .replace(/\./g, '\\.')
        .replace(/:[a-z_]+(?:\(\^(.+?)\$\))?/g, (_all, own: string | undefined) => own ?? '[^/]+')
        .replace(/\*/g, '.+')}/?$`,
    );
    for (const method of [methods].flat()) this.#routes.push({ method, pattern });
  }

  of(path: string): string[] {
    return [
      ...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
    ].sort();
  }
}
