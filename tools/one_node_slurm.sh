#!/bin/sh
# one_node_slurm.sh start|stop|stop-node|start-node FOLDER
#
# A Slurm cluster of this machine alone, for trying `heddle sweep --on slurm` (doc/scale-out.md): munged,
# slurmctld and slurmd as processes of this user, with all their files in FOLDER. `start` prints the line that
# makes a shell use it. stop-node kills the node's daemon and its jobs, as if the machine had lost power;
# start-node starts the daemon again. Exit status 77: Slurm cannot run here; the message says why.
set -eu
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
PATH=$PATH:/usr/sbin:/sbin
node=$(hostname -s)

skip() {
    echo "SKIPPED: Slurm on this machine: $*" >&2
    exit 77
}

# kill_of FILE SIGNAL: kills the process whose number the file holds, if it is alive; waits for its end.
kill_of() {
    [ -s "$1" ] || return 0
    process=$(cat "$1")
    kill "-$2" "$process" 2>/dev/null || return 0
    wait_for is_gone "$process" || kill -KILL "$process" 2>/dev/null || true
}
is_gone() {
    ! kill -0 "$1"
}

# Tries a command every tenth of a second, for ten seconds.
wait_for() {
    for _ in $(seq 100); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 1
}

# A job's process, or the daemon of its step, of this cluster.
is_of_job() {
    case $(cat "$1/comm" 2>/dev/null) in
    slurmstepd) find "$1/fd" -lname "$folder/*" 2>/dev/null | grep -q . ;;
    *) tr '\0' '\n' 2>/dev/null <"$1/environ" | grep -c -x -e "SLURM_CONF=$SLURM_CONF" -e 'SLURM_JOB_ID=.*' |
        grep -qx 2 ;;
    esac
}

start_node() {
    rm -f "$folder/slurmd.pid"
    slurmd -f "$SLURM_CONF" -N "$node" >>"$folder/log" 2>&1 || skip "slurmd does not start, see $folder/log"
}

write_configuration() {
    port=$((20000 + $$ % 20000))
    cat >"$SLURM_CONF" <<CONF
ClusterName=heddle
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=5
KillWait=2
SchedulerParameters=sched_interval=1,requeue_delay=1,batch_sched_delay=0
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
    for program in munged slurmctld slurmd sbatch; do
        command -v $program >/dev/null || skip "$program is not installed"
    done
    mkdir -p "$folder/state" "$folder/spool"
    chmod 755 "$folder"
    dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
    chmod 600 "$folder/munge.key"
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" >>"$folder/log" 2>&1 ||
        skip "munged does not start, see $folder/log"
    write_configuration
    slurmctld -f "$SLURM_CONF" >>"$folder/log" 2>&1 || skip "slurmctld does not start, see $folder/log"
    start_node
    # shellcheck disable=SC2016 # expanded by the inner shell
    wait_for sh -c 'sinfo -h -o %T | grep -q idle' || skip "the node does not come up, see $folder/slurmd.log"
    echo "export SLURM_CONF=$SLURM_CONF"
}

export SLURM_CONF="$folder/slurm.conf"
case $action in
start) start ;;
stop)
    kill_of "$folder/slurmd.pid" TERM
    kill_of "$folder/slurmctld.pid" TERM
    kill_of "$folder/munged.pid" TERM
    ;;
stop-node)
    kill_of "$folder/slurmd.pid" KILL
    for process in /proc/[0-9]*; do
        if is_of_job "$process" 2>/dev/null; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
    done
    ;;
start-node) start_node ;;
*)
    echo "one_node_slurm.sh start|stop|stop-node|start-node FOLDER" >&2
    exit 2
    ;;
esac
