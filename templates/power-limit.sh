#!/bin/sh
# @about@
# Run as root. Nothing is set unless every card of the plan is found.
@notes@
set -eu
export LC_ALL=C

die() {
    echo "power limits: $1; nothing was set" >&2
    exit 1
}

command -v nvidia-smi >/dev/null || die "there is no nvidia-smi"

# Bus addresses of the cards of one model, whatever brand, signs and order the driver's name for it
# has. The size of the memory counts where both names give it.
cards_of() {
    nvidia-smi --query-gpu=pci.bus_id,name --format=csv,noheader |
        awk -F ', ' -v want="$1" '
            function words(name,    all, word, n, i, j) {
                name = toupper(name)
                gsub(/[^A-Z0-9]+/, " ", name)
                gsub(/[0-9]+/, " & ", name)
                n = split(name, word, " ")
                size = ""
                for (i = 1; i < n; i++)
                    if (word[i] ~ /^[0-9]+$/ && word[i + 1] == "GB") {
                        size = word[i]
                        word[i] = word[i + 1] = ""
                    }
                for (i = 1; i <= n; i++)
                    if (word[i] ~ /^(NVIDIA|GEFORCE|TESLA|GENERATION|WORKSTATION|EDITION)$/)
                        word[i] = ""
                for (i = 2; i <= n; i++)
                    for (j = i; j > 1 && word[j - 1] "" > word[j] ""; j--) {
                        all = word[j]; word[j] = word[j - 1]; word[j - 1] = all
                    }
                all = ""
                for (i = 1; i <= n; i++)
                    if (word[i] != "") all = all " " word[i]
                return all
            }
            BEGIN { wanted = words(want); wanted_size = size }
            {
                same = words($2) == wanted
                if (wanted_size != "" && size != "" && size != wanted_size) same = 0
                if (want == "" || same) print $1
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
