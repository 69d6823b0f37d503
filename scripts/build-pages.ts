// Builds what browsers are served: the dashboard and the documentation. With --if-missing only what is not there yet.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboard, builtDashboard } from './build-dashboard.ts';
import { buildDocs, builtDocs } from './build-docs.ts';

export async function buildPages({ ifMissing = false }: { ifMissing?: boolean } = {}): Promise<void> {
  const isWanted = (folder: string): boolean => !ifMissing || !existsSync(join(folder, 'index.html'));
  if (isWanted(builtDashboard)) await buildDashboard().catch(failed('dashboard'));
  if (isWanted(builtDocs)) await buildDocs().catch(failed('documentation'));
}

/** The rest of the service works without. */
function failed(what: string): (error: unknown) => void {
  return (error) => {
    console.error(`The ${what} could not be built.`, error);
    process.exitCode = 1;
  };
}

if (import.meta.main) await buildPages({ ifMissing: process.argv.includes('--if-missing') });
