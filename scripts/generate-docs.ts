// Writes the parts of the documentation that come from the code; with --check only tells whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config.ts';
import { formats } from '../src/images/address/formats.ts';
import { tokenNames, tokenRow } from '../src/images/address/tokens.ts';

const generated: Record<string, string> = {
  'docs/configuration.md': configuration(),
  'docs/transformations.md': transformations(),
};

const stale = Object.entries(generated).filter(([file, text]) => {
  const current = readFileSync(file, 'utf8');
  const [, before = '', after = ''] =
    /^([\s\S]*<!-- generated -->\n)[\s\S]*(<!-- \/generated -->[\s\S]*)$/.exec(current) ?? [];
  if (!before) throw new Error(`${file} has no <!-- generated --> part`);
  const wanted = `${before}${text}${after}`;
  if (wanted === current) return false;
  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  return true;
});

for (const [file] of stale)
  console.log(
    process.argv.includes('--check') ? `${file} is out of date: run npm run docs` : `wrote ${file}`,
  );
if (process.argv.includes('--check') && stale.length > 0) process.exit(1);

function configuration(): string {
  const rows = Object.entries(settings).map(
    ([name, definition]: [string, { meaning: string; shown: string; secret?: true }]) => {
      const names = definition.secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
      return `| ${names} | ${definition.shown} | ${definition.meaning} |`;
    },
  );
  return ['| setting | default | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function transformations(): string {
  const tokenRows = tokenNames.map((name) => {
    const { value, meaning, example, default: standard } = tokenRow(name);
    const isFlag = value.parse(null) !== undefined;
    const written = isFlag ? name : `${name}-`;
    const shown = standard === undefined ? '' : (value.print(standard) ?? '');
    return `| \`${written}\` | ${isFlag ? '' : value.takes} | ${shown} | \`${example}\` | ${meaning} |`;
  });
  const yesOrNo = (flag: boolean): string => (flag ? 'yes' : 'no');
  const formatRows = Object.entries(formats).map(
    ([name, { mediaType, keepsAlpha, keepsAnimation, defaultQuality }]) =>
      `| \`.${name}\` | ${mediaType} | ${yesOrNo(keepsAlpha)} | ${yesOrNo(keepsAnimation)} | ${defaultQuality ?? '–'} |`,
  );
  return [
    '## Tokens\n',
    '| token | takes | default | example | meaning |',
    '|---|---|---|---|---|',
    ...tokenRows,
    '\n## Formats\n',
    '| ending | type | transparency | animation | quality when none is given |',
    '|---|---|---|---|---|',
    ...formatRows,
    '',
  ].join('\n');
}
