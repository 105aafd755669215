import type { Setting } from './setting.ts';

/** The answer to `--help`: what the program does, and every environment variable that it reads. */
export function helpText(summary: string, settings: Readonly<Record<string, Setting<unknown>>>): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const need = setting.fallback === undefined ? 'required' : `default: ${setting.fallback.text}`;
    return `  ${name}\n      ${setting.meaning}.\n      Expects ${setting.expected} (${need}).`;
  });
  return `${summary}\n\nEnvironment:\n${rows.join('\n')}\n`;
}
