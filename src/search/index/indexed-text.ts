// Texts as an index of words takes them, whatever the database: without accents, and with the letters of scripts that put no
// spaces between words apart. Pure.

/** Scripts that put no spaces between words: each of their letters counts as a word, and several in a row as a phrase. */
const unspacedLetter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** SQLite takes accents from Latin letters alone; these stand on Greek and Cyrillic ones too. */
const accent = /[\u0300-\u036f]/g;

export function indexedText(text: string): string {
  const bare = text.normalize('NFD').replace(accent, '').normalize('NFC');
  return bare.replaceAll('\0', ' ').replace(unspacedLetter, ' $& ');
}
