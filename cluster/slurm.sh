#!/usr/bin/env bash
# Runs the job script of docs/cluster.md by a real Slurm: two nodes on this machine, with everything that they write in a
# folder of their own. One task is killed in the middle; what is merged must be what one process makes. Needs root, and
# Debian's slurm-wlm and munge, which INSTALL=yes installs.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/build:$PATH

if ! command -v slurmctld munged >/dev/null; then
	[ "${INSTALL:-}" = yes ] || { echo "needs slurmctld and munged: make test-slurm INSTALL=yes" >&2; exit 1; }
	apt-get update -qq
	# The packages start nothing: what runs here has a configuration of its own.
	RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		slurmctld slurmd slurm-client munge >/dev/null
fi

dir=$(mktemp -d /tmp/grove-slurm-XXXXXX)
pids=
finish() {
	[ $? = 0 ] || tail -n 20 "$dir"/*.log >&2
	kill $pids 2>/dev/null || true
	wait
	rm -rf "$dir"
}
trap finish EXIT
mkdir "$dir/spool" "$dir/state" "$dir/work"
chmod 755 "$dir"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
cat >"$dir/slurm.conf" <<EOF
ClusterName=grove
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
AuthInfo=socket=$dir/munge.socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=16821 CPUs=1 RealMemory=4096
NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=16822 CPUs=1 RealMemory=4096
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$dir/slurm.conf

run() { "$@" >"$dir/$(basename "$1")-$RANDOM.log" 2>&1 & pids="$pids $!"; }
run munged --foreground --force --key-file "$dir/munge.key" --socket "$dir/munge.socket" \
	--pid-file "$dir/munge.pid" --seed-file "$dir/munge.seed" --log-file "$dir/munge.log"
until [ -S "$dir/munge.socket" ]; do sleep 0.1; done
run slurmctld -D
run slurmd -D -N n1
run slurmd -D -N n2
for _ in $(seq 60); do
	[ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ] && break
	sleep 1
done
sinfo -N
slurmctld -V

cd "$dir/work"
grove data synth molecules --graphs 100000 --seed 1 --to shards --out store
grove data synth molecules --graphs 200 --seed 2 --out small
grove train gckn-path --data small --seed 1 --c 1 -o model.grove
grove embed --model model.grove --data store -o one.npy
grove plan embed --model model.grove --data store --out rows.npy --part-graphs 5000 -o plan.json

# The script and the lines that start it are those of the page.
page=$OLDPWD/docs/cluster.md
block() { awk -v n="$1" '/^## /{on = /^## Slurm/} on && /^```/{k++; next} on && k == 2*n-1' "$page"; }
block 1 | sed 's/--cpus-per-task=4 --mem=4G/--cpus-per-task=1 --mem=2G/' >part.sh
block 2 >submit.sh
cat part.sh submit.sh
. ./submit.sh
merge=$(squeue -h -o '%i %j' | awk '$2 == "wrap" {print $1}')

# One part is killed as soon as it runs.
until victim=$(pgrep -n -f 'grove run-part plan.json'); do sleep 0.02; done
kill -9 "$victim" && echo "killed process $victim"

for _ in $(seq 300); do
	[ -z "$(squeue -h)" ] && break
	sleep 1
done
squeue
scontrol show job "$merge" | grep -E 'JobState|ExitCode'
grep -l Killed grove-*.log || true
sha256sum one.npy rows.npy
cmp one.npy rows.npy
[ ! -e plan.parts ] || { echo "left: $(ls plan.parts)" >&2; exit 1; }
echo "Slurm wrote the bytes of one process"
