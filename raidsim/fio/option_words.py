"""fio's options by what raidsim does with them: their aliases, and the effect of leaving them out.

An option that is in none of these tables, and that `raidsim.fio.playing` does not read, is listed
as unknown.
"""

from __future__ import annotations

ALIASES = {
    "ba": "blockalign",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "bssize": "bs",
    "file": "filename",
    "io_limit": "io_size",
    "mem": "iomem",
    "number_of_ios": "number_ios",
    "readwrite": "rw",
    "timeout": "runtime",
    "wait_for_previous": "stonewall",
}

SYNCHRONOUS = {"sync", "psync", "vsync", "pvsync", "pvsync2", "sg", "splice", "ftruncate"}
"""Engines with one I/O at a time, whatever `iodepth` says."""

ASYNCHRONOUS = {
    "libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "solarisaio", "rbd", "xnvme",
    "libblkio", "nvme", "spdk",
}  # fmt: skip

NO_STORAGE = {
    "cpuio", "null", "exec", "net", "netsplice", "filecreate", "filestat", "filedelete", "rdma",
    "falloc", "dircreate", "dirstat", "dirdelete", "e4defrag",
}  # fmt: skip

HARMLESS = frozenset(
    """
    allow_file_create allow_mounted_write allrandrepeat aux-path buffer_pattern bwavgtime
    clat_percentiles clocksource cmd_type continue_on_error create_fsync create_on_open
    create_serialize description disable_bw disable_bw_measurement disable_clat disable_lat
    disable_slat do_verify error_dump eta eta-newline exitall exitall_on_error fadvise_hint
    fallocate filename filename_format group_reporting gtod_cpu gtod_reduce hipri_percentage
    ignore_error invalidate iomem_align iopsavgtime kb_base lat_percentiles
    log_avg_msec log_compression log_entries log_hist_coarseness log_hist_msec
    log_issue_time log_max_value log_offset log_prio log_unix_epoch log_window_value loops
    minimal name new_group nonblocking openfiles output output-format overwrite per_job_logs
    percentile_list random_generator randrepeat randseed refill_buffers runtime
    scramble_buffers significant_figures slat_percentiles sqthread_poll_cpu stats
    status-interval stonewall thread time_based unique_filename unit_base unlink
    unlink_each_loop userspace_reap verify_fatal write_barrier write_bw_log write_hist_log
    write_iolog write_iops_log write_lat_log zero_buffers
    """.split()  # noqa: SIM905
)
"""Options that change nothing of the I/Os that are compared."""

_PAGES = "pages of the host are as its card says: set host.set.page.size for huge pages"
_DEPTH_FOLLOWS = "fio lowers the depth until the latency is reached; here it is as `iodepth` says"
MEANINGS = {
    "ramp_time": "raidsim finds the end of the warm-up itself",
    "io_size": "raidsim measures the steady state, for any amount of data",
    "number_ios": "raidsim measures the steady state, for any number of I/Os",
    "fill_device": "raidsim measures the steady state, for any amount of data",
    "sync_file_range": "flushes are not simulated: simulated writes may stay in volatile caches",
    "end_fsync": "the flush at the end is not simulated",
    "fsync_on_close": "the flush at the end is not simulated",
    "verify": "reads that verify the data are not simulated",
    "iodepth_batch": "simulated I/Os are submitted one at a time",
    "iodepth_batch_submit": "simulated I/Os are submitted one at a time",
    "iodepth_batch_complete": "simulated completions are collected one at a time",
    "iodepth_batch_complete_min": "simulated completions are collected one at a time",
    "iodepth_batch_complete_max": "simulated completions are collected one at a time",
    "iodepth_low": "the simulated queue is always filled up",
    "io_submit_mode": "simulated I/Os are submitted by the worker itself",
    "serialize_overlap": "simulated I/Os to the same blocks may overlap",
    "latency_target": _DEPTH_FOLLOWS,
    "latency_window": _DEPTH_FOLLOWS,
    "latency_percentile": _DEPTH_FOLLOWS,
    "latency_run": _DEPTH_FOLLOWS,
    "rate_min": "raidsim does not end a load that is too slow",
    "rate_iops_min": "raidsim does not end a load that is too slow",
    "rate_cycle": "the rate is kept on average",
    "thinkcycles": "simulated workers do not compute between I/Os",
    "thinktime_spin": "thinking takes no CPU time here",
    "startdelay": "all loads are measured while all of them run",
    "nrfiles": "all files are taken to be in one area, one behind the other",
    "filesize": "the area is as `size` says",
    "file_service_type": "all files are taken to be in one area, one behind the other",
    "directory": "the place of files on the volume is not known: the start of the volume is taken",
    "prio": "priorities of the operating system's scheduler are not simulated",
    "prioclass": "priorities of the operating system's scheduler are not simulated",
    "cmdprio_percentage": "priorities of commands are not simulated",
    "cmdprio": "priorities of commands are not simulated",
    "nice": "priorities of processes are not simulated",
    "cpus_allowed": "workers run on CPUs as the scenario's host says",
    "cpus_allowed_policy": "workers run on CPUs as the scenario's host says",
    "cpumask": "workers run on CPUs as the scenario's host says",
    "numa_cpu_nodes": "workers run on CPUs as the scenario's host says",
    "numa_mem_policy": "memory is placed as the scenario's host says",
    "hipri": "polling is not simulated: the simulated host takes interrupts, which makes it slower",
    "sqthread_poll": "polling is not simulated: the simulated host spends CPU time on submission",
    "fixedbufs": "buffers that are registered once are not simulated: this makes the host slower",
    "registerfiles": "files that are registered once are not simulated: this makes the host slower",
    "hugepage-size": _PAGES,
    "iomem": _PAGES,
    "steadystate": "raidsim has its own rule for when it has measured enough",
    "steadystate_duration": "raidsim has its own rule for when it has measured enough",
    "flow": "that jobs keep the same pace is not simulated",
    "buffer_compress_percentage": "no simulated drive compresses",
    "dedupe_percentage": "no simulated drive finds duplicates",
    "zonemode": "zones of the drive are not simulated",
    "softrandommap": "addresses are drawn anew each time",
    "rw_sequencer": "a sequential access begins where the last one of the worker ended",
    "exitwhat": "all loads are measured while all of them run",
    "lockfile": "files are not locked",
    "bs_unaligned": "addresses are multiples of the size",
    "trim_percentage": "trims are not simulated",
    "iodepth_flush": "flushes are not simulated",
}  # fmt: skip
"""Options that are left out, with what that means for the comparison."""

REFUSED = {
    "read_iolog": "it replays a trace, which raidsim does not",
    "bsrange": "raidsim has no range of sizes with equal probability",
    "unified_rw_reporting": "its reads and writes cannot be distinguished",
    "rwmixcycle": "there reads and writes alternate",
}
"""Without them the load would be another one."""
