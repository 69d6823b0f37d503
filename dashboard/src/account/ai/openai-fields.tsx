// The server that describes pictures, as far as an account chooses it for itself.
import type { InputHTMLAttributes } from 'react';
import { Field } from '../../parts/field.tsx';
import { sentence } from '../../parts/sentence.ts';
import type { AiDraft } from './ai-draft.ts';
import { refusedAiField } from './refused-ai-field.ts';

type OpenAiFieldsProps = {
  readonly draft: AiDraft;
  readonly onEdit: (part: Partial<AiDraft>) => void;
  readonly isKeySet: boolean;
  readonly onClearKey: () => void;
  readonly error: Error | null;
};
type Own = {
  readonly part: 'baseUrl' | 'captionModel' | 'embeddingModel' | 'dimensions';
  /** As the service calls it. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
};

const own: readonly Own[] = [
  {
    part: 'baseUrl',
    name: 'openai_base_url',
    label: 'Base URL',
    hint: 'Another server that speaks the API of OpenAI, such as https://llm.example.com/v1.',
    input: { inputMode: 'url' },
  },
  {
    part: 'captionModel',
    name: 'openai_caption_model',
    label: 'Caption model',
    hint: 'It must take pictures. Captions there are stay as they are.',
  },
  {
    part: 'embeddingModel',
    name: 'openai_embedding_model',
    label: 'Embedding model',
    hint: 'With another one, every picture gets a new vector, and is not found until it has it.',
  },
  {
    part: 'dimensions',
    name: 'openai_embedding_dimensions',
    label: 'Dimensions',
    hint: 'Numbers in a vector, 2 to 4096. Changing it also makes all vectors anew.',
    input: { type: 'number', step: 'any' },
  },
];

export function OpenAiFields({ draft, onEdit, isKeySet, onClearKey, error }: OpenAiFieldsProps) {
  const refused = refusedAiField(error);
  const why = (name: string): string | null => (refused === name ? sentence(error) : null);
  return (
    <>
      <Field
        label="API key of the provider"
        hint={
          isKeySet
            ? 'A key is configured. It is never shown; enter another to replace it.'
            : 'No key is configured. Servers that want none still need one to be set; any text will do.'
        }
        error={why('openai_api_key')}
      >
        {(control) => (
          <div className="ai-key">
            <input
              {...control}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder={isKeySet ? 'configured' : 'sk-…'}
              value={draft.key}
              onChange={({ target }) => onEdit({ key: target.value })}
            />
            {isKeySet && (
              <button type="button" onClick={onClearKey}>
                Clear the key
              </button>
            )}
          </div>
        )}
      </Field>
      <div className="ai-own">
        {own.map(({ part, name, label, hint, input }) => (
          <Field key={part} label={label} hint={hint} error={why(name)}>
            {(control) => (
              <input
                {...control}
                {...input}
                autoComplete="off"
                spellCheck={false}
                placeholder="as the server has it"
                value={draft[part]}
                onChange={({ target }) => onEdit({ [part]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </>
  );
}
