// Sums up the profiles that `--cpu-prof` leaves of a service's threads: where each spent its own time, by function.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type ProfileNode = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type CpuProfile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] };

const shownFunctions = 40;
const shownFiles = 25;

export function profileOptions(folder: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

export function describeProfiles(folder: string): string {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => describe(name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile));
  return profiles.join('\n\n');
}

function describe(name: string, { nodes, samples, timeDeltas }: CpuProfile): string {
  const callFrames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byFile = new Map<string, number>();
  let busyUs = 0;
  for (const [i, id] of samples.entries()) {
    const { functionName, url, lineNumber } = callFrames.get(id) as ProfileNode['callFrame'];
    if (functionName === '(idle)' || functionName === '(root)') continue;
    const file = shortName(url);
    const us = timeDeltas[i] ?? 0;
    busyUs += us;
    add(byFunction, `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`, us);
    add(byFile, file || functionName, us);
  }
  const title = `${name}: ${(busyUs / 1000).toFixed(0)} ms busy`;
  return [
    title,
    'by function',
    ...top(byFunction, shownFunctions, busyUs),
    'by file',
    ...top(byFile, shownFiles, busyUs),
  ].join('\n');
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us);
}

function top(sums: Map<string, number>, count: number, wholeUs: number): string[] {
  return [...sums]
    .sort(([, left], [, right]) => right - left)
    .slice(0, count)
    .map(([name, us]) => `  ${((us / wholeUs) * 100).toFixed(1).padStart(5)}%  ${name}`);
}

function shortName(url: string): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^.*\/src\//, 'src/');
}
