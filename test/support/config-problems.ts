// What is wrong with an environment, as the start would say it.
import { ConfigError, loadConfig } from '../../src/config.ts';

export function problemsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
