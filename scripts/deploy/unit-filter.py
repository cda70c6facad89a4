"""Runs a command under the filters of system calls that a unit of systemd asks for, also where systemd does not run.

The filters are made of the unit's own lines: SystemCallFilter, SystemCallErrorNumber and RestrictAddressFamilies.
`systemd-analyze` lists the calls of a group, and libseccomp, which systemd itself uses, hands the filters to the kernel.

Usage: python3 scripts/deploy/unit-filter.py UNIT COMMAND [ARGUMENT]...
Exit code 69: this machine has no libseccomp, or its kernel takes no filter. Otherwise that of the command.
"""

import ctypes
import errno
import os
import re
import socket
import subprocess
import sys

unavailable_exit = 69
max_families = 64

# Actions and an operator of <seccomp.h>.
allow = 0x7FFF0000
kill_process = 0x80000000
fail_with = 0x00050000
equal = 4


class Comparison(ctypes.Structure):
    """`struct scmp_arg_cmp`: the number of an argument, how to compare it, and with what."""

    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("unused", ctypes.c_uint64),
    ]


def main(unit, command):
    with open(unit, encoding="utf-8") as file:
        text = file.read()
    families = {getattr(socket, name) for name in read_setting(text, "RestrictAddressFamilies")[-1].split()}
    calls = list_allowed_calls(read_setting(text, "SystemCallFilter"))
    numbers = read_setting(text, "SystemCallErrorNumber")
    # Without a number, systemd ends the process.
    refusal = to_failure(numbers[-1]) if numbers else kill_process
    try:
        seccomp = open_seccomp()
        load_families_filter(seccomp, families)
        load_calls_filter(seccomp, calls, refusal)
    except OSError as error:
        print(f"no filter of system calls can be set: {error}", file=sys.stderr)
        sys.exit(unavailable_exit)
    os.execvp(command[0], command)


def read_setting(text, name):
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)


def to_failure(name):
    return fail_with | getattr(errno, name)


def list_allowed_calls(lines):
    """Merges the lines as systemd.exec(5) does if the first one lists what is allowed: a line with ~ takes away."""
    if lines[0].startswith("~"):
        sys.exit("The first SystemCallFilter of the unit must list what is allowed.")
    allowed = list_calls("@default")
    for line in lines:
        names = set().union(*(list_calls(name) for name in line.removeprefix("~").split()))
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed


def list_calls(name):
    """Lists the calls of a group, which may contain other groups."""
    if not name.startswith("@"):
        return {name}
    command = ["systemd-analyze", "syscall-filter", name]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [line.strip() for line in listed.splitlines()[1:]]
    return set().union(*(list_calls(each) for each in names if each and not each.startswith("#")))


def open_seccomp():
    seccomp = ctypes.CDLL("libseccomp.so.2")
    pointer, number = ctypes.c_void_p, ctypes.c_int
    seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
    seccomp.seccomp_init.restype = pointer
    seccomp.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
    comparisons = ctypes.POINTER(Comparison)
    seccomp.seccomp_rule_add_array.argtypes = [pointer, ctypes.c_uint32, number, ctypes.c_uint, comparisons]
    seccomp.seccomp_load.argtypes = [pointer]
    return seccomp


def load_families_filter(seccomp, families):
    """Refuses sockets of other families, with the error that systemd gives."""
    rules = seccomp.seccomp_init(allow)
    for family in set(range(max_families)) - families:
        add_rule(seccomp, rules, to_failure("EAFNOSUPPORT"), "socket", Comparison(0, equal, family, 0))
    load(seccomp, rules)


def load_calls_filter(seccomp, calls, refusal):
    rules = seccomp.seccomp_init(refusal)
    for name in calls:
        add_rule(seccomp, rules, allow, name)
    load(seccomp, rules)


def add_rule(seccomp, rules, action, name, *comparisons):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    # A group also has calls of other processors.
    if number < 0:
        return
    array = (Comparison * len(comparisons))(*comparisons)
    result = seccomp.seccomp_rule_add_array(rules, action, number, len(comparisons), array)
    if result < 0:
        sys.exit(f"libseccomp takes no rule for {name}: {os.strerror(-result)}")


def load(seccomp, rules):
    result = seccomp.seccomp_load(rules)
    if result < 0:
        raise OSError(-result, os.strerror(-result))


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(sys.argv[1], sys.argv[2:])
