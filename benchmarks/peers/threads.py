"""Equal thread counts for programs that size their thread pools in different ways.

The robust limit is the set of cores a process may run on: whatever a library decides, no more than
that many of its threads run at once. The variables tell the libraries, so that they do not start
more threads than cores.
"""

import os
import sys


def environment(count: int) -> dict[str, str]:
    """This process's environment with `count` threads for every library in use here."""
    limits = {
        name: str(count)
        for name in (
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "RAYON_NUM_THREADS",
        )
    }
    eigen = "true" if count > 1 else "false"
    limits["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={eigen}"
    limits["JAX_PLATFORMS"] = "cpu"
    # Nothing to do with threads: the peers' libraries warn about each other's futures.
    limits["PYTHONWARNINGS"] = "ignore::FutureWarning"
    return {**os.environ, **limits}


def cores(count: int) -> set[int] | None:
    """The first `count` cores this process may use; None where a system cannot tell."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    if count > len(allowed):
        raise SystemExit(f"{count} threads are asked for and {len(allowed)} cores are there")
    return set(allowed[:count])


def restrict(count: int) -> None:
    """Binds this process, and all it will start, to `count` cores where the system allows it."""
    chosen = cores(count)
    if chosen is not None:
        os.sched_setaffinity(0, chosen)


def pin(count: int, bind: bool = True) -> None:
    """Holds this script to `count` threads, and unless told otherwise to as many cores.

    Libraries size their pools when they are loaded, so unless the limits are there already, the
    script starts itself anew under them.
    """
    wanted = environment(count)
    if bind:
        restrict(count)
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)
