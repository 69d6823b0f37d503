// Builds the documentation as a site: the Markdown of docs/ as pages with the dashboard's look, their pictures, one style
// and one script. Without marked (an install of production packages alone) it says so and leaves the rest working.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { MarkedExtension } from 'marked';
import { compressFiles } from './compress-files.ts';
import { frontHtml, pageHtml, type SiteAssets } from './docs/page-html.ts';
import { allPages, frontPage, nameOf, type Page, readGroups, readText, repository } from './docs/pages.ts';
import { codeBlock, renderMarkdown, type Rendered } from './docs/render-markdown.ts';

export const builtDocs = join(repository, 'docs/dist');

export async function buildDocs(into = builtDocs): Promise<void> {
  const library = await import('marked').catch(() => null);
  if (!library || !existsSync(join(repository, frontPage))) {
    if (!existsSync(join(into, 'index.html')))
      console.error(
        'The documentation is not built: marked is not installed (npm ci without --omit=dev brings it).',
      );
    return;
  }
  await rm(into, { recursive: true, force: true });
  await mkdir(join(into, 'assets'), { recursive: true });
  await cp(join(repository, 'docs/images'), join(into, 'images'), {
    recursive: true,
    filter: (file) => !file.endsWith('.md'),
  });
  const assets = await writeAssets(into);
  const groups = readGroups();
  const pages = allPages(groups);
  const files = new Set<string>();
  const createMarked = (extension: MarkedExtension) => new library.Marked(extension);
  const render = (path: string, text: string): Rendered =>
    renderMarkdown(createMarked, { path, text, note: (file) => files.add(file) });
  const write = (name: string, title: string, rendered: Rendered, page: Page | null = null) =>
    writeFile(
      join(into, `${name}.html`),
      pageHtml({ groups, assets, page, title, rendered, isFront: name === 'index' }),
    );

  const [beginning = ''] = readText(frontPage).split(/^## Pages$/m, 1);
  const front = render(frontPage, beginning);
  await write('index', 'Tintype', { ...front, html: frontHtml(front.html, groups) });
  for (const page of pages) await write(page.name, page.title, render(page.path, readText(page.path)), page);
  const known = new Set(pages.map(({ path }) => path));
  for (const file of files) if (!known.has(file)) await write(nameOf(file), basename(file), shown(file));
  await compressFiles(into);
}

/** A file of the repository that a page names: configurations, and sources of tables. */
function shown(file: string): Rendered {
  const language = extname(file).slice(1) || basename(file).toLowerCase();
  const heading = `<h1><code>${file}</code></h1>\n`;
  return { html: heading + codeBlock(readText(file), language), headings: [], summary: file };
}

/** Named by what is in them, so that browsers may keep them for ever. */
async function writeAssets(into: string): Promise<SiteAssets> {
  const read = (path: string): Buffer => readFileSync(join(repository, path));
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    const path = `assets/${basename(name, extname(name))}-${hash}${extname(name)}`;
    await writeFile(join(into, path), bytes);
    return `/docs/${path}`;
  };
  return {
    style: await write(
      'site.css',
      Buffer.concat([read('dashboard/src/styles/base.css'), read('docs/site/site.css')]),
    ),
    script: await write('site.js', read('docs/site/site.js')),
    icon: await write('mark.svg', read('dashboard/public/favicon.svg')),
  };
}

if (import.meta.main) await buildDocs();
