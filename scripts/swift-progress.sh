# shellcheck shell=bash
# Reads how far a Swift build is from its log, and estimates how long the rest takes.
# Source it; it needs nothing from other files.

swift_stage='' swift_done=0 swift_total=0
swift_work_done=0 swift_work_left=0 swift_compiling_since=''

# Call it before each build.
begin_swift_progress() {
    swift_stage='' swift_done=0 swift_total=0
    swift_work_done=0 swift_work_left=0 swift_compiling_since=''
}

# Reads the last build of a log into the variables above.
#
# Steps are not equally long. In an optimized build, a step for Swift compiles a module and takes
# about as long as twenty files in C, and SwiftPM compiles the C files of a fresh build first. So a
# Swift module counts as twenty. Of the steps left, the share of Swift modules is assumed to be
# that of the steps so far, but all modules together at least an eighth of all steps: SwiftPM adds a
# module's steps to the total only shortly before it compiles the module. (Measured on 2 cores: 2 C
# files per second, then a module every ten seconds or more. `mien` had 82 modules in 618 steps.)
read_swift_progress() { # log
    IFS=$'\t' read -r swift_done swift_total swift_work_done swift_work_left swift_stage < <(
        LC_ALL=C awk '
            /^\$ swift / { compiling = done = total = modules = 0; stage = "" }
            /^Another instance of SwiftPM/ { stage = "waiting for another build" }
            /^(Fetch|Comput|Creating working copy|Working copy)/ { stage = "fetching packages" }
            /^\[[0-9]+\/[0-9]+\] (Planning|Compiling plugin)/ { stage = "planning" }
            /^Building for / { compiling = 1; done = total = modules = 0 }
            compiling && /^\[[0-9]+\/[0-9]+\] / {
                split(substr($1, 2), count, /[\/\]]/)
                done = count[1]; total = count[2]
                if ($2 == "Compiling" && /\.swift$/) modules++
                if ($2 == "Compiling") stage = "compiling " $3
                if ($2 == "Linking") stage = "linking " $3
            }
            END {
                left = total - done
                others = done > modules ? done - modules : 0
                to_come = done ? left * modules / done : 0
                if (left && to_come < total / 8 - modules) to_come = total / 8 - modules
                printf "%d\t%d\t%d\t%d\t%s\n", done, total, others + 20 * modules,
                    left + 19 * to_come, stage
            }' "$1"
    ) || true
    if [ "$swift_total" != 0 ] && [ -z "$swift_compiling_since" ]; then
        swift_compiling_since=$SECONDS
    fi
}

# Prints the estimate, such as "about 4 min left". Prints nothing in the first ten seconds of
# compiling, when there is too little to estimate from.
swift_time_left() {
    if [ -z "$swift_compiling_since" ] || [ "$swift_work_done" = 0 ]; then return; fi
    local compiling=$((SECONDS - swift_compiling_since))
    if [ $compiling -lt 10 ]; then return; fi
    local left=$((compiling * swift_work_left / swift_work_done))
    if [ $left -lt 50 ]; then
        echo "about $(((left / 10 + 1) * 10)) s left"
    else
        echo "about $(((left + 59) / 60)) min left"
    fi
}
