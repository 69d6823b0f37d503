// Builds the dashboard, with a compressed copy beside each file. Without vite (an install of production packages alone)
// it says so and leaves the rest working.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFiles } from './compress-files.ts';

const folder = fileURLToPath(new URL('../dashboard', import.meta.url));
export const builtDashboard = join(folder, 'dist');

export async function buildDashboard(): Promise<void> {
  const vite = await import('vite').catch(() => null);
  if (!vite) {
    // There all the same where it was built elsewhere and copied, as in an image.
    if (!existsSync(join(builtDashboard, 'index.html')))
      console.error(
        'The dashboard is not built: vite is not installed (npm ci without --omit=dev brings it).',
      );
    return;
  }
  await vite.build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });
  await compressFiles(builtDashboard);
}
