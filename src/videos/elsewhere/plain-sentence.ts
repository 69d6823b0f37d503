// What a service elsewhere says of a film, made fit for the film's owner: short, one line, and without addresses.

const maxLength = 300;

/** Empty when nothing is left of it. */
export function plainSentence(words: string): string {
  const plain = words
    .slice(0, 10 * maxLength)
    .split(/[\p{Cc}\p{Cf}\p{Cs}\s]+/u)
    .filter((word) => !word.includes('://'))
    .join(' ')
    .trim()
    .replace(/[.\s]+$/, '');
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}
