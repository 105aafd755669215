import { GENERATED_NOTE, table } from '../generated-file.ts';
import { ADMINISTRATION, EVENT_GROUPS, type EventGroup } from './product-events.ts';

export function eventsPage(): string {
  return [
    '# Events',
    GENERATED_NOTE,
    'Every process of the product prints JSON, one object a line, with `schemaVersion` 1, `component` and `event`; Worker and Control add `level` and `at`. No line holds a token, a key, a certificate or the body of a request.',
    ...EVENT_GROUPS.flatMap(groupText),
    '## Administration',
    'One line: `…_completed` on stdout, or `…_failed` on stderr with `name`, `code` and `reason` ([error-codes.md](error-codes.md)). Never both.',
    table(['program', 'component', 'events', 'fields of success'], ADMINISTRATION.map(({ file, component, subject, answers }) => [`\`${file}.mjs\``, `\`${component}\``, `\`${subject}_completed\`, \`${subject}_failed\``, answers])),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function groupText({ title, component, stream, events }: EventGroup): string[] {
  return [`## ${title}`, `Component \`${component}\`, on ${stream}`, table(['event', 'level', 'meaning', 'fields'], events.map(({ event, level, meaning, fields }) => [`\`${event}\``, level, meaning, fields]))];
}
