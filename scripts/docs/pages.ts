// Which files are pages, in which order, under which names and titles: read from the lists in docs/README.md and in the
// READMEs it names, which are also what people see in the repository.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const frontPage = 'docs/README.md';

export type Page = {
  /** From the root of the repository. */
  readonly path: string;
  /** At /docs/<name>; the front page has none. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Pages that its own list names. */
  readonly below: readonly Page[];
};
export type Group = { readonly title: string; readonly pages: readonly Page[] };

const entry = /^- \[(?<title>[^\]]+)\]\((?<target>[^)#]+\.md)\)(?:: (?<about>.+))?$/;

export function readGroups(): Group[] {
  const [, ...groups] = readText(frontPage).split(/^### /m);
  return groups.map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    pages: listIn(text, frontPage),
  }));
}

export function allPages(groups: readonly Group[]): Page[] {
  return groups.flatMap(({ pages }) => pages.flatMap((page) => [page, ...page.below]));
}

export function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** The file a link names, from the root of the repository. */
export function resolveLink(from: string, target: string): string {
  return posix.normalize(posix.join(dirname(from), decodeURIComponent(target))).replace(/\/$/, '');
}

/** `docs/decisions/0001-x.md` is `decisions-0001-x`, a README is called after its folder. */
export function nameOf(path: string): string {
  return path
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function listIn(text: string, from: string): Page[] {
  return text.split('\n').flatMap((line) => {
    const { title = '', target = '', about = '' } = entry.exec(line)?.groups ?? {};
    if (target === '') return [];
    const path = resolveLink(from, target);
    const isList = path.startsWith('docs/') && path.endsWith('/README.md');
    return [{ path, name: nameOf(path), title, about, below: isList ? listIn(readText(path), path) : [] }];
  });
}
