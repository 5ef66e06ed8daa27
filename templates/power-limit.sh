#!/bin/sh
# @about@
# Run as root. Nothing is set unless every card of the plan is found.
@notes@
set -eu

die() {
    echo "power limits: $1; nothing was set" >&2
    exit 1
}

command -v nvidia-smi >/dev/null || die "there is no nvidia-smi"

# Bus addresses of the cards of one model, whatever the driver writes before its name.
cards_of() {
    nvidia-smi --query-gpu=pci.bus_id,name --format=csv,noheader |
        awk -F ', ' -v want="$1" '{
            name = toupper($2)
            sub(/^NVIDIA /, "", name)
            sub(/^GEFORCE /, "", name)
            if (want == "" || name == want) print $1
        }'
}

# Say that this many cards of one model are there, or stop.
need() {
    found=$(cards_of "$1" | wc -l)
    [ "$found" -eq "$2" ] || die "the plan has $2 cards of '${1:-any model}', the driver shows $((found))"
}

set_limit() {
    for card in $(cards_of "$1"); do
        nvidia-smi -i "$card" -pl "$2"
    done
}

@commands@
