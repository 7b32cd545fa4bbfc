#!/bin/bash
# Runs three nodes of Slurm on this machine, each a daemon of its own, without systemd:
# testbed.sh start|stop FOLDER
set -eu
action=$1 folder=$2 host=$(hostname -s)
daemons="n1 n2 n3"

start() {
    mkdir -p "$folder"/munge "$folder"/state
    chmod 755 "$folder/munge"
    head -c 128 /dev/urandom > "$folder/munge/key"
    chmod 600 "$folder/munge/key"
    munged --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    {
        echo "ClusterName=tablesmith"
        echo "SlurmctldHost=$host(127.0.0.1)"
        echo "SlurmctldPort=16917"
        echo "SlurmUser=root"
        echo "SlurmdUser=root"
        echo "AuthType=auth/munge"
        echo "AuthInfo=socket=$folder/munge/socket,cred_expire=5"
        echo "StateSaveLocation=$folder/state"
        echo "SlurmdSpoolDir=$folder/%n"
        echo "SlurmctldPidFile=$folder/slurmctld.pid"
        echo "SlurmdPidFile=$folder/%n.pid"
        echo "SlurmctldLogFile=$folder/slurmctld.log"
        echo "SlurmdLogFile=$folder/%n.log"
        # Nothing of the system is asked for: no control groups, no accounts, no MPI. What a job takes is
        # looked at every second, and a job that takes more than it asked for is killed.
        echo "ProctrackType=proctrack/linuxproc"
        echo "TaskPlugin=task/none"
        echo "JobAcctGatherType=jobacct_gather/linux"
        echo "JobAcctGatherFrequency=task=1"
        echo "JobAcctGatherParams=OverMemoryKill"
        echo "AccountingStorageType=accounting_storage/none"
        echo "MpiDefault=none"
        echo "SelectType=select/cons_tres"
        echo "SelectTypeParameters=CR_Core_Memory"
        # A node that dies is missed after seconds and not after minutes.
        echo "SlurmdTimeout=5"
        echo "ReturnToService=2"
        echo "SlurmdParameters=config_overrides"
        echo "SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=0"
        port=17100
        for node in $daemons; do
            mkdir -p "$folder/$node"
            port=$((port + 1))
            echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1 RealMemory=2000"
        done
        echo "PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP"
    } > "$folder/slurm.conf"
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld -c
    for node in $daemons; do slurmd -N "$node"; done
    for _ in $(seq 30); do
        [ "$(sinfo --noheader --Node --states=idle | wc -l)" = 3 ] && return 0
        sleep 1
    done
    echo "the nodes do not come up; see the logs in $folder" >&2
    return 1
}

stop() {
    for daemon in $daemons slurmctld munged; do
        if [ -f "$folder/$daemon.pid" ]; then kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true; fi
    done
}

"$action"
