// English words in their other number, by rule: captions say "boat" where people type "boats". Wrong guesses are no words,
// and so find nothing. Pure.

/** More wordings than these are not tried: each is a search of its own. */
const mostWordings = 8;

/** The same words with some of them in their other number; without the wording that was given. */
export function inOtherNumbers(words: readonly string[]): string[][] {
  let wordings: string[][] = [[]];
  for (const word of words) {
    const forms = formsOf(word);
    const usable = wordings.length * forms.length <= mostWordings ? forms : [word];
    wordings = usable.flatMap((form) => wordings.map((wording) => [...wording, form]));
  }
  // The first has every word as it was given.
  return wordings.slice(1);
}

/** The word itself first. */
export function formsOf(word: string): string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word];
  return [word, ...(singularsOf(word) ?? [pluralOf(word)])];
}

/** Null where the word looks like a singular. */
function singularsOf(word: string): string[] | null {
  if (/[a-z]ies$/.test(word)) return [`${word.slice(0, -3)}y`];
  // "Watches" is one of "watch", "horses" one of "horse", and "axes" may be either.
  if (/(?:ch|sh|s|x|z)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)];
  return /[^siu]s$/.test(word) ? [word.slice(0, -1)] : null;
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:ch|sh|s|x|z)$/.test(word) ? `${word}es` : `${word}s`;
}
