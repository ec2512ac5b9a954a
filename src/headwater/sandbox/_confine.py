"""Takes away from a process what code of a model never needs: Landlock, seccomp and resource limits by ctypes.

Everything here runs in the process that is confined, before it touches the code. There is no way back from it. The walls are
the kernel's: nothing depends on which words the code holds.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NOBODY: Final = 65_534

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 4, 38, 22
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

# Access rights of linux/landlock.h.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_ALL_OF_ABI_1, _REFER, _TRUNCATE, _IOCTL_DEV = (1 << 13) - 1, 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI = {_REFER: 2, _TRUNCATE: 3, _IOCTL_DEV: 5}
_WORK_RIGHTS = (
    _READ_FILE
    | _READ_DIR
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _TRUNCATE
    | _REFER
)
"""In its folder the code may make, read, write and remove plain files and folders; no links, sockets, pipes or devices."""

SYSTEM_ROOTS: Final = (
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/usr/share/fonts", "/etc/fonts",
    "/etc/ld.so.cache", "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu", "/sys/fs/cgroup", "/dev/zero", "/dev/urandom", "/dev/random",
)  # fmt: skip
"""What the interpreter and its libraries read beside their own folders."""

_ARCHITECTURES: Final = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""AUDIT_ARCH of linux/audit.h, and the column of `_SYSCALLS`."""

# Numbers of system calls on x86_64 and aarch64 (None: it has no such call). All are answered with EPERM.
_SYSCALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    "socket": (41, 198), "connect": (42, 203), "accept": (43, 202), "bind": (49, 200), "listen": (50, 201), "accept4": (288, 242),
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268), "unshare": (272, 97),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "sethostname": (170, 161), "setdomainname": (171, 162), "syslog": (103, 116), "quotactl": (179, 60), "personality": (135, 92),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "uselib": (134, None), "mknod": (133, None), "mknodat": (259, 33),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "fanotify_init": (300, 262), "clock_settime": (227, 112), "settimeofday": (164, 170),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "sendmsg": (46, 211), "sendmmsg": (307, 269), "close_range": (436, 436), "symlink": (88, None), "symlinkat": (266, 36), "truncate": (76, 45), "inotify_init": (253, None), "inotify_init1": (294, 26),
}  # fmt: skip

# Changes of modes, owners, times and attributes that Landlock does not see. They seem to succeed, so that libraries which copy
# them along with a file go on.
_PRETENDED: Final[dict[str, tuple[int | None, int | None]]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}  # fmt: skip
_CLONE, _CLONE3, _TGKILL, _SOCKETPAIR = (56, 220), (435, 435), (234, 131), (53, 199)
_PRLIMIT64, _SETAFFINITY, _FCNTL, _IOCTL, _PRCTL = (302, 261), (203, 122), (72, 25), (16, 29), (157, 167)
_FCNTL_REFUSED: Final = (8, 10, 15, 1024)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: the kernel would send a signal to another process; F_SETLEASE: others would wait."""
_PRCTL_REFUSED: Final = (_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE)
"""With these code could outlive its host, and hide from it what it has open."""
_IOCTL_ALLOWED: Final = (0x5401, 0x802C_542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x4004_9409)
"""TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FICLONE. Others change attributes of files that are open
for reading only, or are for devices."""
_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWIPC = 0x1000_0000, 0x4000_0000, 0x0800_0000
_CLONE_FILES, _CLONE_THREAD, _X32_BIT = 0x400, 0x0001_0000, 0x4000_0000
_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPE = 1, 1, 5, 0xF

# seccomp(2): values of linux/seccomp.h and the BPF instructions of linux/bpf_common.h.
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_AT_NR, _AT_ARCH, _AT_ARGUMENT_0, _AT_ARGUMENT_1 = 0, 4, 16, 24


@dataclass(frozen=True, slots=True)
class Confinement:
    """What to confine a process to.

    Attributes:
        work: the folder it may write to.
        read: files and folders it may read.
        memory: bytes it may allocate beyond what it has.
        file: bytes of a single file.
        cpu: seconds of processor time.
        uid: user to become, or -1 to stay.
        landlock: whether Landlock guards the files; False only where a mount namespace does.
    """

    work: str
    read: tuple[str, ...]
    memory: int
    file: int
    cpu: int
    uid: int = -1
    landlock: bool = True


def landlock_abi() -> int:
    """Return the version of Landlock that the kernel has, 0 if none."""
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    found: int = libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(found, 0)


def missing_layers() -> str:
    """Return what this machine lacks for the confinement, or ""."""
    if not sys.platform.startswith("linux"):
        return f"{platform.system()} has neither Landlock nor seccomp"
    if platform.machine() not in _ARCHITECTURES:
        return f"the processor {platform.machine()} is not supported"
    if landlock_abi() < 1:
        return "the kernel has no Landlock (Linux 5.13 or later with landlock in CONFIG_LSM)"
    return ""


def limit_resources(plan: Confinement) -> None:
    """Set hard limits of memory, processor time, file size and open files."""
    # Data counts private writable memory whether touched or not; address space catches what is mapped otherwise.
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, plan.file),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_DATA, plan.memory),
        (resource.RLIMIT_AS, 4 * plan.memory + (2 << 30)),
        (resource.RLIMIT_CPU, plan.cpu),
    )
    for name, value in limits:
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(name, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing past the limit is then an OSError of the code


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; end now if it has."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def hide(hidden: bool) -> None:
    """Keep processes of the same user from reading or writing the memory of this one, or let them again."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, int(not hidden), 0, 0, 0)


def confine(plan: Confinement, parent: int) -> None:
    """Confine this process.

    Raises:
        OSError: the kernel does not do what is asked; the process must end.
    """
    if plan.uid >= 0:
        os.setgroups([])
        os.setresgid(plan.uid, plan.uid, plan.uid)
        os.setresuid(plan.uid, plan.uid, plan.uid)
    libc = ctypes.CDLL(None, use_errno=True)
    _leave_namespaces(libc)
    die_with(parent)  # after the changes of user, which would undo it
    limit_resources(plan)
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _drop_capabilities(libc)
    if plan.landlock:
        _landlock(libc, plan)
    _seccomp(libc)


def _check(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _leave_namespaces(libc: ctypes.CDLL) -> None:
    """Move to namespaces of one's own where the kernel lets one: nobody among users, no network but an idle loopback.

    This is one more wall, not one that the others need; many machines forbid it.
    """
    own = os.geteuid(), os.getegid()
    # Nobody but root may write the maps of a hidden process, and the host has to see what this one does.
    hide(False)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC) < 0:
        return
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY} {own[0]} 1"),
        ("gid_map", f"{NOBODY} {own[1]} 1"),
    ):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up all capabilities, for a process that stays root because nobody else could read the interpreter."""
    header = struct.pack("<Ii", 0x2008_0522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _check(libc.capset(header, bytes(24)))


def _landlock(libc: ctypes.CDLL, plan: Confinement) -> None:
    abi = landlock_abi()
    handled = _ALL_OF_ABI_1
    for right, first in _FIRST_ABI.items():
        handled |= right if abi >= first else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    # No TCP bind or connect (ABI 4); no abstract sockets and no signals out of here (ABI 6).
    attributes = struct.pack("<QQQ", handled, 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0)[:size]
    ruleset = _check(libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    try:
        _allow(libc, ruleset, plan.work, _WORK_RIGHTS & handled)
        _allow(libc, ruleset, "/dev/null", (_READ_FILE | _WRITE_FILE) & handled)
        for root in (*SYSTEM_ROOTS, *plan.read):
            _allow(libc, ruleset, root, _READ_FILE | _READ_DIR)
        _check(libc.syscall(_LANDLOCK_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, root: str, rights: int) -> None:
    try:
        handle = os.open(root, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # it is not on this machine
        return
    if not os.path.isdir(root):
        rights &= _READ_FILE | _WRITE_FILE | _EXECUTE | _TRUNCATE
    rule = struct.pack("<Qi", rights, handle)
    try:
        _check(libc.syscall(_LANDLOCK_ADD, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0)))
    finally:
        os.close(handle)


def _seccomp(libc: ctypes.CDLL) -> None:
    program = _program(platform.machine(), os.getpid())
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    _check(libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0))


def _program(machine: str, pid: int) -> list[tuple[int, int, int, int]]:
    """Return the filter as (operation, steps if true, steps if false, value)."""
    architecture, column = _ARCHITECTURES[machine]
    refused = _ERRNO | errno.EPERM
    steps = [
        (_LOAD, 0, 0, _AT_ARCH),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _AT_NR),
    ]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL_PROCESS)]
    # glibc falls back to clone, whose flags can be seen.
    steps += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    # Threads only, and with one table of open files, which is then seen from outside.
    steps += _unless(_CLONE[column], [(_ANY_BIT, 0, 2, _CLONE_THREAD), (_ANY_BIT, 0, 1, _CLONE_FILES)])
    # A pair of datagram sockets could send to any local socket with a name, and SOCK_RAW makes one as well.
    steps += _unless(
        _SOCKETPAIR[column],
        [
            (_EQUAL, 0, 5, _AF_UNIX),
            (_LOAD, 0, 0, _AT_ARGUMENT_1),
            (_AND, 0, 0, _SOCK_TYPE),
            (_EQUAL, 1, 0, _SOCK_STREAM),
            (_EQUAL, 0, 1, _SOCK_SEQPACKET),
        ],
    )
    steps += _unless(_TGKILL[column], [(_EQUAL, 0, 1, pid)])
    for call in (_PRLIMIT64, _SETAFFINITY):
        steps += _unless(call[column], [(_EQUAL, 1, 0, pid), (_EQUAL, 0, 1, 0)])
    steps += _switch(_PRCTL[column], _AT_ARGUMENT_0, _PRCTL_REFUSED, refused, _ALLOW)
    steps += _switch(_FCNTL[column], _AT_ARGUMENT_1, _FCNTL_REFUSED, refused, _ALLOW)
    steps += _switch(_IOCTL[column], _AT_ARGUMENT_1, _IOCTL_ALLOWED, _ALLOW, _ERRNO | errno.ENOTTY)
    for table, answer in ((_SYSCALLS, refused), (_PRETENDED, _ERRNO)):
        for pair in table.values():
            number = pair[column]
            if number is not None:
                steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _unless(number: int, test: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Refuse a call unless the low half of its first argument passes; a call of another number goes on behind this.

    The tests are made one after the other and the last one decides.
    """
    body = [
        (_LOAD, 0, 0, _AT_ARGUMENT_0),
        *test,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    ]
    return [(_EQUAL, 0, len(body), number), *body]


def _switch(
    number: int, argument: int, values: Sequence[int], listed: int, otherwise: int
) -> list[tuple[int, int, int, int]]:
    """Answer a call by the low half of an argument: `listed` if it is one of the values, else `otherwise`."""
    tests = [(_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    body = [(_LOAD, 0, 0, argument), *tests, (_RETURN, 0, 0, otherwise), (_RETURN, 0, 0, listed)]
    return [(_EQUAL, 0, len(body), number), *body]
