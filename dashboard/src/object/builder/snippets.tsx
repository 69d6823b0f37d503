// The look, ready to paste.
import { useState } from 'react';
import type { ImageAddress, ObjectDetails } from '../../../../client/src/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Values } from './control.ts';

const languages = ['HTML', 'React', 'Markdown', 'curl'] as const;
type Language = (typeof languages)[number];

type SnippetsProps = {
  readonly object: ObjectDetails;
  readonly picture: ImageAddress;
  readonly values: Values;
};

export function Snippets({ object, picture, values }: SnippetsProps) {
  const [language, setLanguage] = useState<Language>('HTML');
  const text = snippet(language, object, picture, values);
  return (
    <div className="stack">
      <div className="row">
        <div className="row" role="tablist" aria-label="Language of the snippet">
          {languages.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`snippet-${each}`}
              aria-selected={each === language}
              aria-controls="snippet"
              className="small"
              onClick={() => setLanguage(each)}
            >
              {each}
            </button>
          ))}
        </div>
        <CopyButton text={text} label={`Copy ${language}`} />
      </div>
      <pre
        id="snippet"
        role="tabpanel"
        aria-labelledby={`snippet-${language}`}
        className="snippet"
        tabIndex={0}
      >
        {text}
      </pre>
    </div>
  );
}

function snippet(language: Language, object: ObjectDetails, picture: ImageAddress, values: Values): string {
  const alt = (object.caption ?? object.original_file_name).replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const srcset = srcsetOf(picture, values);
  switch (language) {
    case 'HTML':
      return [
        `<img src="${picture.url}"`,
        ...(srcset ? [`     srcset="${srcset.join(',\n             ')}"`] : []),
        `     alt="${alt}" loading="lazy">`,
      ].join('\n');
    case 'React':
      return [
        '<img',
        `  src="${picture.url}"`,
        ...(srcset ? [`  srcSet="${srcset.join(', ')}"`] : []),
        `  alt="${alt}"`,
        '  loading="lazy"',
        '/>',
      ].join('\n');
    case 'Markdown':
      return `![${alt.replaceAll(/[[\]]/g, String.raw`\$&`)}](${picture.url})`;
    case 'curl':
      return `curl -o picture '${picture.url}'`;
  }
}

/** Once and twice as many pixels, where a width is given. */
function srcsetOf(picture: ImageAddress, values: Values): string[] | null {
  const width = Number(values['w'] ?? 0);
  if (!(width > 0) || values['dpr']) return null;
  return [`${picture.url} 1x`, `${picture.dpr(2).url} 2x`];
}
