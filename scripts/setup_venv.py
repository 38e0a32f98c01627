"""Sets up .venv in the current folder: `python3 scripts/setup_venv.py [EXTRA]...`.

Does nothing when .venv already has what is asked for: the stamp in it names the interpreter, the folder, the text of
pyproject.toml and the extras it was made from. Runs at the same time wait for each other. What is missing on the
machine is named with the command that installs it. Must itself run on Python 3.6, to say which one is too old.
"""

import hashlib
import json
import os
import subprocess
import sys

OLDEST = (3, 10)
VENV = ".venv"
STAMP = os.path.join(VENV, "a2agen-stamp.json")
PYTHON = os.path.join(VENV, "bin", "python")


def main(extras):
    if sys.version_info < OLDEST:
        stop(
            f"{sys.executable} is Python {version()}, and a2agen needs {OLDEST[0]}.{OLDEST[1]} or newer",
            "install a newer one and name it, as in: make PYTHON=python3.12 ...",
        )
    try:
        import ensurepip  # noqa: F401, PLC0415
        import venv  # noqa: F401, PLC0415
    except ImportError:
        stop(f"{sys.executable} has no venv module", f"run: apt-get install python{version()}-venv")
    import fcntl  # noqa: PLC0415

    with open(".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        set_up(extras)


def set_up(extras):
    key = wanted_key()
    stamp = read_stamp()
    if stamp.get("key") == key and set(extras) <= set(stamp["extras"]):
        return
    if stamp.get("key", {}).get("python") != key["python"] or stamp["key"].get("folder") != key["folder"]:
        print(f"setting up {VENV} with Python {version()}", flush=True)
        # The interpreter itself, should this run by the one in .venv, which --clear removes.
        python = getattr(sys, "_base_executable", sys.executable)
        call([python, "-m", "venv", "--clear", VENV], "the virtual environment could not be made")
        stamp = {}
    if os.path.exists(STAMP):
        os.remove(STAMP)
    extras = sorted(set(extras) | set(stamp.get("extras", [])))
    what = f".[{','.join(extras)}]" if extras else "."
    print(f"installing a2agen and what it needs: pip install {what}", flush=True)
    # -qq: pip's errors, without its warnings.
    pip = [PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-input"]
    call([*pip, "--editable", what], f"pip could not install {what}; see above")
    # Commands start at once, also where the environment keeps Python from writing bytecode.
    call([PYTHON, "-m", "compileall", "-q", "a2agen"], "a2agen could not be compiled; see above")
    with open(STAMP, "w") as file:
        json.dump({"key": key, "extras": extras}, file)


def version():
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def wanted_key():
    with open("pyproject.toml", "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {"python": os.path.realpath(sys.executable) + " " + sys.version, "folder": os.getcwd(), "project": digest}


def read_stamp():
    try:
        with open(STAMP) as file:
            return json.load(file) if os.path.exists(PYTHON) else {}
    except (OSError, ValueError):
        return {}


def call(command, failure):
    if subprocess.call(command) != 0:
        stop(failure, "then run the same make command again")


def stop(problem, remedy):
    sys.exit(f"a2agen: {problem}\na2agen: {remedy}")


if __name__ == "__main__":
    main(sys.argv[1:])
