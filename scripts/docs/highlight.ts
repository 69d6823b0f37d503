// Comments, strings and words of a language set apart, when the pages are built: enough to read code by, in any language
// that these pages show, and no more than a stylesheet can colour.

type Language = { readonly comment: RegExp; readonly words: readonly string[] };

const hash = /(?:^|(?<=\s))#.*/;
const slashes = /\/\/.*|\/\*[\s\S]*?\*\//;
const scriptWords =
  'import from export const let function return async await new if else for of throw try catch class type typeof extends default null true false';
const languages: Readonly<Record<string, Language>> = {
  sh: { comment: hash, words: words('export if then else fi for in do done') },
  ts: { comment: slashes, words: words(scriptWords) },
  json: { comment: /(?!)/, words: words('true false null') },
  python: {
    comment: hash,
    words: words('import from def return if not in for try except raise with as and or None True False'),
  },
  go: {
    comment: slashes,
    words: words('package import func return if for range var const type struct nil true false defer'),
  },
  php: {
    comment: /(?:\/\/|#).*/,
    words: words('function return if foreach as throw new require null true false echo exit'),
  },
  ruby: {
    comment: hash,
    words: words('require def end if unless return raise do nil true false begin rescue'),
  },
  nginx: { comment: hash, words: words('server location map upstream http events') },
  html: { comment: /<!--[\s\S]*?-->/, words: [] },
  yaml: { comment: hash, words: words('true false null') },
};
const sameAs: Readonly<Record<string, string>> = {
  js: 'ts',
  tsx: 'ts',
  bash: 'sh',
  ini: 'sh',
  conf: 'nginx',
  py: 'python',
  rb: 'ruby',
  caddyfile: 'nginx',
};
const string = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;

/** HTML of the code; escaped in any case. */
export function highlight(code: string, language: string): string {
  const known = languages[sameAs[language] ?? language];
  if (!known) return escapeHtml(code);
  const word = known.words.length > 0 ? `(?<![\\w$.-])(?:${known.words.join('|')})(?![\\w-])` : '(?!)';
  const parts = new RegExp(`(?<c>${known.comment.source})|(?<s>${string.source})|(?<k>${word})`, 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(parts)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [''];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function words(list: string): readonly string[] {
  return list.split(' ');
}
