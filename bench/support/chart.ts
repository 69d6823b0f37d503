// Draws the ratios of a run as horizontal bars in SVG. The colours are readable on light and dark pages alike, and text takes
// that of the page.
import type { Figure } from './report.ts';

type Charted = NonNullable<Figure['charted']> & { passed: boolean };

const width = 800;
const margin = 16;
const labelWidth = 400;
const rowHeight = 34;
const barHeight = 18;
const headHeight = 64;
const footHeight = 30;
const valueWidth = 64;
const colours = { passed: '#2f81c7', missed: '#c9582b', bar: '#d29922' };

export function chart(figures: readonly Figure[], conditions: string): string {
  const rows = figures.flatMap(({ charted, passed }) =>
    charted ? [{ ...charted, passed: passed !== false }] : [],
  );
  const most = Math.max(1, ...rows.map(({ ratio, bar }) => Math.max(ratio, bar)));
  const perUnit = (width - 2 * margin - labelWidth - valueWidth) / most;
  const height = headHeight + rows.length * rowHeight + footHeight;
  const left = margin + labelWidth;
  const one = left + perUnit;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" color="#57606a" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">
<title>Tintype beside others, as ratios</title>
<style>@media (prefers-color-scheme: dark) { svg { color: #c9d1d9 } }</style>
<text x="${margin}" y="26" font-size="16" font-weight="600">Tintype beside others: longer is better</text>
<text x="${margin}" y="46" font-size="12">1 is as good as the other. The upright mark is the least we accept.</text>
<line x1="${round(one)}" x2="${round(one)}" y1="${headHeight - 8}" y2="${height - footHeight}" stroke="currentColor" stroke-dasharray="2 4"/>
${rows.map((row, i) => drawRow(row, { y: headHeight + i * rowHeight, left, perUnit })).join('\n')}
<text x="${margin}" y="${height - 10}" font-size="11">${escape(conditions)}</text>
</svg>
`;
}

function drawRow(
  { label, ratio, bar, passed }: Charted,
  { y, left, perUnit }: { y: number; left: number; perUnit: number },
): string {
  const end = left + ratio * perUnit;
  const mark = left + bar * perUnit;
  const top = y + (rowHeight - barHeight) / 2;
  const middle = y + rowHeight / 2 + 4.5;
  return [
    `<text x="${left - 10}" y="${middle}" text-anchor="end">${escape(label)}</text>`,
    `<rect x="${left}" y="${top}" width="${round(ratio * perUnit)}" height="${barHeight}" rx="2" fill="${passed ? colours.passed : colours.missed}"/>`,
    `<line x1="${round(mark)}" x2="${round(mark)}" y1="${top - 4}" y2="${top + barHeight + 4}" stroke="${colours.bar}" stroke-width="3"/>`,
    `<text x="${round(Math.max(end, mark) + 8)}" y="${middle}" font-weight="600">${ratio.toFixed(2)} ×</text>`,
  ].join('\n');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
