/** `$(NAME)` becomes the variable's value, `$$(NAME)` stays as `$(NAME)`, unknown names stay as they are (Kubernetes: "Define Dependent Environment Variables"). */
export function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return '$';
    return variables.get(name) ?? match;
  });
}
