// The anchors of a page's headings, as GitHub makes them, so that a link works in the repository and on the site.

export class Anchors {
  readonly #taken = new Map<string, number>();

  /** Another one for a heading that comes twice. */
  of(heading: string): string {
    const plain = plainAnchor(heading);
    const before = this.#taken.get(plain);
    this.#taken.set(plain, (before ?? 0) + 1);
    return before === undefined ? plain : `${plain}-${before}`;
  }
}

function plainAnchor(heading: string): string {
  return withoutMarks(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** The words alone, of a heading as it stands in Markdown. */
export function withoutMarks(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();
}
