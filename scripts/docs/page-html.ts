// What is around the text of a page: the head, all pages at the left, the headings of this one at the right, its neighbours
// below. Nothing inline, so that the strictest policy holds.
import { escapeHtml } from './highlight.ts';
import { allPages, type Group, type Page } from './pages.ts';
import type { Rendered } from './render-markdown.ts';

export type SiteAssets = { readonly style: string; readonly script: string; readonly icon: string };
export type PageParts = {
  readonly groups: readonly Group[];
  readonly assets: SiteAssets;
  /** Null for the front page and for files that are only shown. */
  readonly page: Page | null;
  readonly title: string;
  readonly rendered: Rendered;
  readonly isFront?: boolean;
};

const mark =
  '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M7 3h18l4 4v18l-4 4H7l-4-4V7z" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linejoin="round"/><circle cx="16" cy="16" r="6" fill="currentColor"/></svg>';

export function pageHtml({ groups, assets, page, title, rendered, isFront = false }: PageParts): string {
  const headings = rendered.headings.filter(({ depth }) => depth === 2 || depth === 3);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="dark light" />
<meta name="description" content="${escapeHtml(rendered.summary)}" />
<title>${escapeHtml(isFront ? 'Tintype: documentation' : `${title} · Tintype`)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml" />
<link rel="stylesheet" href="${assets.style}" />
<script src="${assets.script}"></script>
</head>
<body${isFront ? ' class="front"' : ''}>
<a class="skip" href="#main">Skip to the content</a>
<header class="frame">
<a href="/docs" class="frame-mark" aria-label="Tintype">${mark}<span>Tintype</span></a>
<nav aria-label="Service"><a href="/docs"${isFront ? ' aria-current="page"' : ''}>Docs</a><a href="/docs/api-reference">API reference</a><a href="/">Dashboard</a></nav>
<button type="button" class="small menu-button" popovertarget="pages">Menu</button>
</header>
<div class="columns">
<nav id="pages" class="pages" aria-label="All pages" popover>
${groups.map((group) => groupList(group, page)).join('\n')}
</nav>
<main id="main" tabindex="-1">
<article>
${rendered.html}</article>
${isFront ? '' : neighbours(groups, page)}
</main>
${isFront || headings.length < 2 ? '<div></div>' : contents(headings)}
</div>
</body>
</html>
`;
}

/** The text of the front page with the ways from it: to the reference and the first steps, and to the pages of each group. */
export function frontHtml(text: string, groups: readonly Group[]): string {
  const ways =
    '<p class="ways"><a class="button primary" href="/docs/api-reference">Read and try the API</a><a class="button" href="/docs/quick-start">Quick start</a></p>\n';
  return text.replace('<h2', `${ways}<h2`) + groupCards(groups);
}

function groupCards(groups: readonly Group[]): string {
  const cards = groups.map(({ title, pages }) => {
    const lines = pages.map(
      ({ name, title: label, about }) =>
        `<li><a href="/docs/${name}">${escapeHtml(label)}</a><span>${escapeHtml(about)}</span></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2><ul>${lines.join('')}</ul></section>`;
  });
  return `<div class="groups">${cards.join('\n')}</div>\n`;
}

function groupList({ title, pages }: Group, current: Page | null): string {
  const items = pages.map((page) => {
    const isOpen = page.path === current?.path || page.below.some(({ path }) => path === current?.path);
    const below = isOpen && page.below.length > 0 ? list(page.below.map((one) => item(one, current))) : '';
    return item(page, current, below);
  });
  return `<h2>${escapeHtml(title)}</h2>${list(items)}`;
}

function item({ name, title, path }: Page, current: Page | null, below = ''): string {
  const here = path === current?.path ? ' aria-current="page"' : '';
  return `<li><a href="/docs/${name}"${here}>${escapeHtml(title)}</a>${below}</li>`;
}

function list(items: readonly string[]): string {
  return `<ul>${items.join('')}</ul>`;
}

function contents(headings: Rendered['headings']): string {
  const items = headings.map(
    ({ depth, anchor, text }) =>
      `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>${list(items)}</nav>`;
}

function neighbours(groups: readonly Group[], current: Page | null): string {
  const pages = allPages(groups);
  const index = pages.findIndex(({ path }) => path === current?.path);
  if (index === -1) return '';
  const link = (page: Page | undefined, label: string, kind: string): string =>
    page
      ? `<a class="${kind}" href="/docs/${page.name}"><span>${label}</span>${escapeHtml(page.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Before and after">${link(pages[index - 1], 'Before', 'before')}${link(pages[index + 1], 'Next', 'next')}</nav>`;
}
