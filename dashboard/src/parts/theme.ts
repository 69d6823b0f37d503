// Light or dark: as the system has it, until somebody chooses.
export type Theme = 'system' | 'light' | 'dark';

const note = 'tintype-theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(note) as Theme | null;
  return kept && themes.includes(kept) ? kept : 'system';
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function nextTheme(theme: Theme): Theme {
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme;
  localStorage.setItem(note, next);
  applyTheme(next);
  return next;
}
