/** Every environment variable that the commands read. The table in README.md is generated from this one. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  '`QL3_WORKER_KUBERNETES_ROLLOUT_LIVE`': '`1` allows the release path to start privileged containers',
  '`QL3_K3S_IMAGE`': 'another K3s image than the pinned one; makes the run a rehearsal',
  '`QL3_POSTGRES_IMAGE`': 'another PostgreSQL image than the pinned one; makes the run a rehearsal',
  '`QL3_NODE_IMAGE`': 'another base image than the pinned one; makes the run a rehearsal',
  '`DOCKER_HOST`, `DOCKER_CONTEXT`, `DOCKER_CERT_PATH`, `DOCKER_TLS_VERIFY`': 'where the Docker Engine is, as for the docker client',
  '`NO_COLOR`, `FORCE_COLOR`': 'neither colour nor a live list on a terminal; colour also where there is none',
  '`CI`, `TERM`': 'a line for each step instead of a live list when `CI` is set, or `TERM` is `dumb` or not set',
  '`GITHUB_ACTIONS`, `GITHUB_STEP_SUMMARY`, `GITHUB_OUTPUT`': 'set by GitHub Actions: where a run leaves a summary and outputs, and that it may annotate a failure',
  '`TMPDIR`': "where the run's private folder is made, and where `clean` looks for it; for root a folder that every user may enter, and all above it, as in `mkdir -m 711 /var/tmp/ql3`",
};
