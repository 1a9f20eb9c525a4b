"""What the figures were measured on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def cpu_model() -> str:
    """The name of the processor."""
    description = Path("/proc/cpuinfo")
    if description.exists():
        for line in description.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def vector_units() -> str:
    """The widest vector instructions of the processor, where the system tells."""
    description = Path("/proc/cpuinfo")
    flags = description.read_text().split() if description.exists() else []
    names = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON"))
    return next((name for flag, name in names if flag in flags), "unknown")


def package_version(package: str) -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def facts() -> dict[str, Any]:
    """Processor, cores, how busy it is, and the versions of the peers."""
    peers = ("jax", "torch", "botorch", "gpytorch", "numpy", "scipy")
    return {
        "cpu": cpu_model(),
        "vectors": vector_units(),
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {package: package_version(package) for package in peers},
    }
