import { failed, ok, warning, type Check } from '../check.ts';
import { hasSecurityOption, ofEngine } from '../engine.ts';

const EXPECTED = 'cgroup v2, or v1 with an Engine that is not rootless';

export const cgroups: Check = {
  name: 'cgroups',
  substrate: 'k3s',
  reason: "the cluster's kubelet makes cgroups for its Pods inside its container",
  examine: (examination) =>
    ofEngine(examination, EXPECTED, ({ info }) => {
      const version = info.CgroupVersion ?? '1';
      const found = `cgroup v${version}, driver ${info.CgroupDriver}`;
      if (version === '2') return ok(found, EXPECTED);
      if (hasSecurityOption(info, 'rootless')) return failed(`${found}, rootless`, EXPECTED, 'start the machine with cgroup v2 (systemd.unified_cgroup_hierarchy=1), or use an Engine that runs as root');
      return warning(found, EXPECTED, 'works today, but Kubernetes gives up cgroup v1: start the machine with cgroup v2 (systemd.unified_cgroup_hierarchy=1)');
    }),
};
