/** Kubernetes' grammars of names (apimachinery validation). Each function returns the faults that Kubernetes would tell, none for a good name. */

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const ENVIRONMENT_NAME = /^[ -<>-~]+$/;

export function dnsSubdomainFaults(name: string): string[] {
  return [
    ...longerThan(name, 253),
    ...(DNS_SUBDOMAIN.test(name)
      ? []
      : ["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"]),
  ];
}

export function dnsLabelFaults(name: string): string[] {
  return [
    ...longerThan(name, 63),
    ...(DNS_LABEL.test(name)
      ? []
      : ["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"]),
  ];
}

export function dns1035LabelFaults(name: string): string[] {
  return [
    ...longerThan(name, 63),
    ...(DNS_1035_LABEL.test(name)
      ? []
      : ["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"]),
  ];
}

/** Names that only have to fit into one segment of a path (RBAC objects). */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
}

export function qualifiedNameFaults(name: string): string[] {
  const parts = name.split('/');
  const local = parts.at(-1) ?? '';
  const faults: string[] = [];
  if (parts.length > 2) {
    return ["a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"];
  }
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') faults.push('prefix part must be non-empty');
    else faults.push(...dnsSubdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  }
  if (local === '') faults.push('name part must be non-empty');
  else if (local.length > 63) faults.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_NAME.test(local)) {
    faults.push("name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  }
  return faults;
}

export function labelValueFaults(value: string): string[] {
  return [
    ...longerThan(value, 63),
    ...(LABEL_VALUE.test(value)
      ? []
      : ["a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"]),
  ];
}

export function configKeyFaults(key: string): string[] {
  if (key === '.' || key.startsWith('..')) return [key === '.' ? "must not be '.'" : "must not start with '..'"];
  return [
    ...longerThan(key, 253),
    ...(CONFIG_KEY.test(key)
      ? []
      : ["a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"]),
  ];
}

export function environmentNameFaults(name: string): string[] {
  return ENVIRONMENT_NAME.test(name) ? [] : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

function longerThan(value: string, maximum: number): string[] {
  return Buffer.byteLength(value) > maximum ? [`must be no more than ${maximum} bytes`] : [];
}
