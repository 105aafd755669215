import { ok, warning, type Check } from '../check.ts';
import { hasSecurityOption, ofEngine } from '../engine.ts';

const EXPECTED = 'an Engine that may start privileged containers, as far as that can be known without starting one';

export const privileges: Check = {
  name: 'privileges',
  substrate: 'k3s',
  reason: "the cluster's container is privileged: it mounts, makes cgroups, and sets rules of the network",
  examine: (examination) =>
    ofEngine(examination, EXPECTED, ({ info }) => {
      const plugins = info.Plugins?.Authorization ?? [];
      const traits = [
        hasSecurityOption(info, 'rootless') ? 'rootless' : 'runs as root',
        ...(hasSecurityOption(info, 'userns') ? ["remaps users (the cluster's container will not be remapped)"] : []),
        ...(hasSecurityOption(info, 'selinux') ? ['SELinux'] : []),
        ...(plugins.length > 0 ? [`authorisation plugins ${plugins.join(', ')}`] : []),
      ];
      const found = traits.join(', ');
      if (plugins.length > 0) return warning(found, EXPECTED, 'ask who looks after this Engine whether its plugins allow privileged containers');
      if (hasSecurityOption(info, 'rootless')) return warning(found, EXPECTED, 'a rootless Engine must have delegated the cgroup controllers cpu, memory, pids and io to its user: https://docs.docker.com/engine/security/rootless/');
      return ok(found, EXPECTED);
    }),
};
