// Writes what comes from the code: parts of the documentation, and the client's types; with --check only tells whether
// they are up to date.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config.ts';
import { serviceAccessSettings } from '../src/service-access.ts';
import { formats } from '../src/images/address/formats.ts';
import { type TokenName, tokenNames, tokenRow } from '../src/images/address/tokens.ts';
import { AppError, errorCodes } from '../src/platform/errors.ts';
import { clientTypes } from './client-types.ts';
import { picturesOf } from './docs/pictured-tokens.ts';
import { openApiDocument } from './openapi-document.ts';

const wanted: Record<string, string> = {
  'docs/api.md': within('docs/api.md', errors()),
  'docs/configuration.md': within('docs/configuration.md', configuration()),
  'docs/transformations.md': within('docs/transformations.md', transformations()),
  'client/src/api.ts': formatted('api.ts', clientTypes(await openApiDocument(), errorCodes)),
};

const stale = Object.entries(wanted).filter(([file, text]) => {
  if (readFileSync(file, 'utf8') === text) return false;
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  return true;
});

for (const [file] of stale)
  console.log(
    process.argv.includes('--check') ? `${file} is out of date: run npm run docs` : `wrote ${file}`,
  );
if (process.argv.includes('--check') && stale.length > 0) process.exit(1);

function within(file: string, text: string): string {
  const [, before = '', after = ''] =
    /^([\s\S]*<!-- generated -->\n)[\s\S]*(<!-- \/generated -->[\s\S]*)$/.exec(readFileSync(file, 'utf8')) ??
    [];
  if (!before) throw new Error(`${file} has no <!-- generated --> part`);
  return `${before}${text}${after}`;
}

function formatted(name: string, text: string): string {
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/oxfmt', [`--stdin-filepath=${name}`], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`oxfmt: ${stderr}`);
  return stdout;
}

function configuration(): string {
  const rows = Object.entries({ ...settings, ...serviceAccessSettings }).map(
    ([name, definition]: [string, { meaning: string; shown: string; secret?: true }]) => {
      const names = definition.secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
      return `| ${names} | ${definition.shown} | ${definition.meaning} |`;
    },
  );
  return ['| setting | default | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function errors(): string {
  const rows = errorCodes
    .map((code) => new AppError(code))
    .toSorted((one, other) => one.status - other.status)
    .map(({ status, code, message }) => `| ${status} | \`${code}\` | ${message} |`);
  return ['| status | `X-Error-Code` | `error` |', '|---|---|---|', ...rows, ''].join('\n');
}

/** The picture and the address it was made with, below each other. */
function pictureCell(name: TokenName): string {
  return picturesOf(name)
    .map(
      ({ of, address, file }) =>
        `![The ${of} at this address](${file.replace('docs/', '')})<br>\`${address}\``,
    )
    .join('<br>');
}

function transformations(): string {
  const tokenRows = tokenNames.map((name) => {
    const { value, meaning, default: standard } = tokenRow(name);
    const isFlag = value.parse(null) !== undefined;
    const written = isFlag ? name : `${name}-`;
    const shown = standard === undefined ? '' : (value.print(standard) ?? '');
    return `| \`${written}\` | ${isFlag ? '' : value.takes} | ${shown} | ${meaning} | ${pictureCell(name)} |`;
  });
  const yesOrNo = (flag: boolean): string => (flag ? 'yes' : 'no');
  const formatRows = Object.entries(formats).map(
    ([name, { mediaType, keepsAlpha, keepsAnimation, defaultQuality }]) =>
      `| \`.${name}\` | ${mediaType} | ${yesOrNo(keepsAlpha)} | ${yesOrNo(keepsAnimation)} | ${defaultQuality ?? '–'} |`,
  );
  return [
    '## Tokens\n',
    '| token | takes | default | meaning | picture |',
    '|---|---|---|---|---|',
    ...tokenRows,
    '\n## Formats\n',
    '| ending | type | transparency | animation | quality when none is given |',
    '|---|---|---|---|---|',
    ...formatRows,
    '',
  ].join('\n');
}
