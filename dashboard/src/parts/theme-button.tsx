// Goes round the themes.
import { useState } from 'react';
import { chosenTheme, nextTheme } from './theme.ts';

export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Theme: ${theme}. Change`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(nextTheme(theme))}
    >
      {{ system: '◐', light: '○', dark: '●' }[theme]}
    </button>
  );
}
