"""Builds the wheel of grove-graphs, with the command in it: for pip, or by itself.

    GROVE=build/grove python3 python/backend.py FOLDER

The command is the file that the environment variable GROVE names, or build/grove of the repository. Needs Python 3.11.
"""

import base64
import hashlib
import os
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "grove_graphs"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder and returns its name. The same files give the same bytes."""
    with open(HERE / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    tag = f"py3-none-{_platform()}"
    stem = f"{PACKAGE}-{project['version']}"
    info = f"{stem}.dist-info"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted((HERE / PACKAGE).glob("*.py*"))
             if path.is_file()}
    command = "grove.exe" if os.name == "nt" else "grove"
    files[f"{PACKAGE}/bin/{command}"] = Path(os.environ.get("GROVE", HERE.parent / "build" / command)).read_bytes()
    files[f"{info}/METADATA"] = _metadata(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: grove\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD").encode()
    name = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            wheel.writestr(entry, content)
    return name


def _platform():
    """The systems that the wheel is for. The command needs no library of the system: any Linux will do."""
    name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return name.replace("linux_", "manylinux2014_", 1) if name.startswith("linux_") else name


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    return "\n".join(lines + [f"Requires-Dist: {d}" for d in project["dependencies"]]) + "\n"


def _record(files, own):
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join(lines + [f"{own},,"]) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(folder))
