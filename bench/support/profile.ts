// Sums up the profiles that `--cpu-prof` leaves of a service's threads: where each spent its own time by function, and
// which of our files or packages asked for it, with the time of Node's own functions counted to whoever called them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type ProfileNode = { id: number; callFrame: CallFrame; children?: number[] };
type CpuProfile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] };

const shownFunctions = 30;
const shownOwners = 30;
const leastShare = 0.003;

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
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const owners = ownersOf(nodes, byId);
  const byFunction = new Map<string, number>();
  const byOwner = new Map<string, number>();
  let busyUs = 0;
  for (const [i, id] of samples.entries()) {
    const { functionName, url, lineNumber } = (byId.get(id) as ProfileNode).callFrame;
    if (functionName === '(idle)' || functionName === '(root)') continue;
    const us = timeDeltas[i] ?? 0;
    busyUs += us;
    add(byFunction, `${functionName || '(anonymous)'} ${shortName(url)}:${lineNumber + 1}`, us);
    add(byOwner, owners.get(id) ?? (functionName.startsWith('(') ? functionName : 'Node itself'), us);
  }
  return [
    `${name}: ${(busyUs / 1000).toFixed(0)} ms busy`,
    'own time of functions',
    ...top(byFunction, shownFunctions, busyUs),
    'time asked for by',
    ...top(byOwner, shownOwners, busyUs),
  ].join('\n');
}

/** For every node the file or package that is nearest above it; a parent stands before its children. */
function ownersOf(nodes: readonly ProfileNode[], byId: Map<number, ProfileNode>): Map<number, string> {
  const owners = new Map<number, string>();
  for (const { id, callFrame, children = [] } of nodes) {
    const owner = ownerOf(callFrame.url) ?? owners.get(id);
    if (owner !== undefined) owners.set(id, owner);
    for (const child of children) if (owner !== undefined && byId.has(child)) owners.set(child, owner);
  }
  return owners;
}

function ownerOf(url: string): string | undefined {
  if (url.includes('/node_modules/')) return /^(@[^/]+\/)?[^/]+/.exec(shortName(url))?.[0];
  return url.startsWith('file:') ? shortName(url) : undefined;
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us);
}

function top(sums: Map<string, number>, count: number, wholeUs: number): string[] {
  return [...sums]
    .filter(([, us]) => us >= wholeUs * leastShare)
    .sort(([, left], [, right]) => right - left)
    .slice(0, count)
    .map(([name, us]) => `  ${((us / wholeUs) * 100).toFixed(1).padStart(5)}%  ${name}`);
}

function shortName(url: string): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^.*\/src\//, 'src/');
}
