// Every page of docs/ can be found, and every link between the pages of this repository leads somewhere.
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Marked, type Token } from 'marked';
import { Anchors } from '../../scripts/docs/anchors.ts';
import {
  allPages,
  frontPage,
  readGroups,
  readText,
  repository,
  resolveLink,
} from '../../scripts/docs/pages.ts';

type Contents = { readonly links: readonly string[]; readonly anchors: ReadonlySet<string> };

const files = globSync(['*.md', 'docs/**/*.md', 'client/*.md'], { cwd: repository }).sort();
const contents = new Map(files.map((file) => [file, contentsOf(readText(file))]));

function contentsOf(text: string): Contents {
  const links: string[] = [];
  const anchors = new Set<string>();
  const names = new Anchors();
  const marked = new Marked();
  void marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type === 'link' || token.type === 'image') links.push(String(token['href']));
    if (token.type === 'heading') anchors.add(names.of(String(token['text'])));
  });
  return { links, anchors };
}

/** What is wrong with it; undefined when it leads somewhere. */
function faultOf(from: string, link: string): string | undefined {
  if (/^(?:https?|mailto):/.test(link)) return undefined;
  const [target = '', anchor] = link.split('#', 2);
  const file = target === '' ? from : resolveLink(from, target);
  if (!existsSync(join(repository, file))) return `${from}: there is no ${file} (${link})`;
  if (anchor === undefined) return undefined;
  const known = contents.get(file)?.anchors;
  return known?.has(anchor) ? undefined : `${from}: ${file} has no heading #${anchor}`;
}

describe('the documentation', () => {
  test('has each page of docs/ in its navigation, once', () => {
    const listed = allPages(readGroups()).map(({ path }) => path);
    assert.equal(new Set(listed).size, listed.length);
    const pages = files.filter((file) => file.startsWith('docs/') && file !== frontPage);
    assert.deepEqual(
      pages.filter((file) => !listed.includes(file)),
      [],
      'in no list of docs/README.md',
    );
    assert.deepEqual(
      listed.filter((file) => !files.includes(file)),
      [],
      'listed, but not there',
    );
  });

  test('gives each page an address of its own', () => {
    const names = allPages(readGroups()).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z0-9-]+$/);
  });

  for (const file of files)
    test(`${file}: every link and anchor is there`, () => {
      const { links } = contents.get(file) as Contents;
      assert.deepEqual(
        links.flatMap((link) => faultOf(file, link) ?? []),
        [],
      );
    });
});

test('a dead link, a dead anchor and a page that is nowhere would be told', () => {
  assert.match(faultOf('docs/api.md', 'nothing.md') ?? '', /there is no docs\/nothing\.md/);
  assert.match(faultOf('docs/api.md', 'uploads.md#nothing') ?? '', /no heading #nothing/);
  assert.match(faultOf('docs/api.md', '#nothing') ?? '', /no heading #nothing/);
  assert.equal(faultOf('docs/api.md', 'uploads.md#resumable'), undefined);
});
