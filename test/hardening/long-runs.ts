// Long runs of one thing in the middle of something else: harmless to a parser that looks at each character once, and
// minutes for a pattern that starts anew at each of them.

const characters = Array.from('/ ,.-_;:"\'\\%=&?#@[](){}<>+*~\t0aA');
const invisible = ['\r\n', '\n', '\u0000', '🦊', 'e\u0301', '\u200b', '\ud800'];
const paths = ['../', './', '%2f', '%25', '/ ', 'w-5_'];
const lists = ['--', '; ', ';a=', ';a="', '\\"', '=,', ', ', 'a@', '1-', '-1,'];
const units = [...characters, ...invisible, ...paths, ...lists];

export function longRuns(length: number): string[] {
  return units.flatMap((unit) => {
    const run = unit.repeat(Math.floor(length / unit.length));
    return [run, `x${run}x`];
  });
}
