// Markdown of a page into HTML: headings with anchors, links to other pages of the site, code with its words set apart.
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Marked, MarkedExtension, Tokens } from 'marked';
import { createImageWalker } from '../../src/lib/walk-image.ts';
import { Anchors, withoutMarks } from './anchors.ts';
import { escapeHtml, highlight } from './highlight.ts';
import { picturedDensity } from './pictured-tokens.ts';
import { frontPage, nameOf, repository, resolveLink } from './pages.ts';

export type Heading = { readonly depth: number; readonly anchor: string; readonly text: string };
export type Rendered = {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The first paragraph, as plain words. */
  readonly summary: string;
};

/** On narrow screens the cells of a row stand below each other, unless there are more. */
const maxStackedColumns = 6;
const pictures = /\.(?:webp|svg)$/;

/**
 * @param createMarked Makes a parser of its own for the page.
 * @param note Told of every file of the repository that a link names.
 */
export function renderMarkdown(
  createMarked: (extension: MarkedExtension) => Marked,
  { path, text, note }: { path: string; text: string; note: (file: string) => void },
): Rendered {
  const anchors = new Anchors();
  const headings: Heading[] = [];
  let summary = '';

  const marked = createMarked({
    renderer: {
      heading(token: Tokens.Heading) {
        const heading = {
          depth: token.depth,
          anchor: anchors.of(token.text),
          text: withoutMarks(token.text),
        };
        headings.push(heading);
        const inner = this.parser.parseInline(token.tokens);
        if (token.depth === 1) return `<h1 id="${heading.anchor}">${inner}</h1>\n`;
        return `<h${token.depth} id="${heading.anchor}"><a class="anchor" href="#${heading.anchor}">${inner}</a></h${token.depth}>\n`;
      },
      paragraph(token: Tokens.Paragraph) {
        summary ||= withoutMarks(token.text.replaceAll('\n', ' '));
        return `<p>${this.parser.parseInline(token.tokens)}</p>\n`;
      },
      code({ text: code, lang = '' }: Tokens.Code) {
        return codeBlock(code, lang);
      },
      table(token: Tokens.Table) {
        const label = (index: number): string => {
          const text = withoutMarks(token.header[index]?.text ?? '');
          return text === '' ? '' : ` data-label="${escapeHtml(text)}"`;
        };
        const row = (cells: Tokens.TableCell[], kind: 'th' | 'td'): string => {
          const inner = cells.map((cell, index) => {
            const tag = cell.text === '' ? 'td' : kind;
            return `<${tag}${kind === 'td' ? label(index) : ''}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
          });
          return `<tr>${inner.join('')}</tr>\n`;
        };
        const hasHead = token.header.some((cell) => cell.text !== '');
        const head = hasHead ? `<thead>${row(token.header, 'th')}</thead>\n` : '';
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        const kind = token.header.length <= maxStackedColumns ? 'scroll stacked' : 'scroll';
        return `<div class="${kind}" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        return `<a href="${escapeHtml(addressOf(path, href, note))}">${inner}</a>`;
      },
      image({ href, text: alternative }: Tokens.Image) {
        const file = resolveLink(path, href);
        return `<img src="/${file}" alt="${escapeHtml(alternative)}" loading="lazy"${sizeOf(file)} />`;
      },
      // Notes for those who write these pages, and for the tests of their examples.
      html({ text: html }: Tokens.HTML | Tokens.Tag) {
        return html.startsWith('<!--') ? '' : html;
      },
    },
  });
  return { html: marked.parse(text, { async: false }), headings, summary };
}

export function codeBlock(code: string, language: string): string {
  return `<div class="code"><pre tabindex="0"><code>${highlight(code, language)}</code></pre></div>\n`;
}

function addressOf(from: string, href: string, note: (file: string) => void): string {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#', 2);
  const named = resolveLink(from, target);
  const index = `${named}/README.md`;
  const file = existsSync(join(repository, index)) ? index : named;
  const ending = anchor === undefined ? '' : `#${anchor}`;
  if (file === 'README.md' || file === frontPage) return `/docs${ending}`;
  if (pictures.test(file)) return `/${file}`;
  note(file);
  return `/docs/${nameOf(file)}${ending}`;
}

/** Known before it is loaded, so that nothing jumps. */
function sizeOf(file: string): string {
  if (extname(file) !== '.webp') return '';
  const walker = createImageWalker('image/webp');
  walker.push(readFileSync(join(repository, file)));
  const density = file.startsWith('docs/images/tokens/') ? picturedDensity : 1;
  const { width, height } = walker.end();
  return ` width="${Math.round(width / density)}" height="${Math.round(height / density)}"`;
}
