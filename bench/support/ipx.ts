// Finds ipx, which is no dependency: in the folder that IPX_DIR names, else where this repository's packages are.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type InstalledIpx = { file: string; version: string; sharpVersion: string };
export const howToInstallIpx = 'not installed: npm install --no-save ipx@3.1.1';

export function findIpx(): InstalledIpx | null {
  const near = createRequire(join(process.env.IPX_DIR ?? process.cwd(), 'package.json'));
  try {
    const file = near.resolve('ipx');
    const versionOf = (name: string): string => packageVersion(createRequire(file), name);
    return { file, version: versionOf('ipx'), sharpVersion: versionOf('sharp') };
  } catch {
    return null;
  }
}

/** Packages need not let their package.json be resolved: so it is looked for in the folders that are searched. */
function packageVersion(require: NodeJS.Require, name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as {
        version: string;
      };
      return version;
    } catch {
      continue;
    }
  }
  throw new Error(`There is no package ${name}`);
}
