/**
 * An annotation of the run's page, by a workflow command on stdout or stderr. Values are escaped as the runner takes them
 * (actions/toolkit, packages/core/src/command.ts): `%`, CR and LF in the message, and `:` and `,` in properties too.
 */
export function errorAnnotation(title: string, message: string): string {
  return `::error title=${property(title)}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
