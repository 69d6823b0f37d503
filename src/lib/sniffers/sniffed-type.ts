// What the first bytes of a file say it is; `label` names it in a sentence ("a PDF document").

export type SniffedType = { kind: 'image' | 'video' | 'refused'; type: string; label: string };
