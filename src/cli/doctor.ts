// `tintype doctor`: looks at everything the service needs, and says what to do about what is wrong.
import { type Config, ConfigError } from '../config.ts';
import { jsonOption, readArguments } from './arguments.ts';
import {
  checkClock,
  checkDataDir,
  checkFilms,
  checkImages,
  checkModels,
  checkNode,
  checkStore,
} from './doctor-machine.ts';
import { checkAnalysis } from './doctor-analysis.ts';
import { checkDatabase, checkJobs, checkSecrets, checkServer } from './doctor-data.ts';
import type { Check, Finding } from './doctor-finding.ts';
import { printJson } from './output.ts';

export const help = `Usage:
  tintype doctor

  --json   print JSON

Checks the settings, the data folder, the database, both stores, the image workers, the analysis of
pictures, background jobs and the clock, also
while the server runs. Ends with 1 when something failed.`;

const checks: Record<string, Check> = {
  'data folder': checkDataDir,
  database: checkDatabase,
  secrets: checkSecrets,
  'files store': (config) => checkStore(config, config.filesStore),
  'storage store': (config) => checkStore(config, config.storageStore),
  images: checkImages,
  films: checkFilms,
  models: checkModels,
  analysis: checkAnalysis,
  jobs: checkJobs,
  server: checkServer,
  clock: checkClock,
};

export async function doctor(args: string[], config: () => Config): Promise<0 | 1> {
  const { values } = readArguments(args, jsonOption);
  const findings: (Finding & { check: string })[] = [];
  const tell = (check: string, finding: Finding): void => {
    findings.push({ check, ...finding });
    if (!values.json) console.log(`${finding.state.padEnd(5)} ${check.padEnd(14)} ${sentence(finding)}`);
  };
  tell('node', checkNode());
  const settings = readSettings(config);
  tell('settings', settings.finding);
  if (settings.config) {
    for (const [name, check] of Object.entries(checks)) tell(name, await carryOut(check, settings.config));
  }
  const failed = findings.some(({ state }) => state === 'fail');
  if (values.json) printJson({ status: failed ? 'fail' : 'ok', checks: findings });
  return failed ? 1 : 0;
}

function readSettings(config: () => Config): { finding: Finding; config?: Config } {
  try {
    const loaded = config();
    return {
      finding: { state: 'ok', message: `data in ${loaded.dataDir}, served at ${loaded.baseUrl}` },
      config: loaded,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      finding: { state: 'fail', message: error.problems.join('; '), advice: 'correct the environment' },
    };
  }
}

async function carryOut(check: Check, config: Config): Promise<Finding> {
  try {
    return await check(config);
  } catch (error) {
    return { state: 'fail', message: (error as Error).message };
  }
}

function sentence({ message, advice }: Finding): string {
  return advice ? `${message}. To do: ${advice}` : message;
}
