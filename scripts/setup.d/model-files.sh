# shellcheck shell=bash
# Finds or downloads the networks of the better model pack, which the repository does not contain.
# Needs progress.sh, commands.sh, and downloads.sh.

readonly model_list=$repository/scripts/model-files.txt
readonly presentation_list=$repository/scripts/presentation-files.txt
# The folder with the descriptor network's files, and that with the networks against prints and
# screens, or empty.
model_files='' presentation_files=''
# Why they are empty, in the words of scripts/fetch.
model_fault='' presentation_fault=''

# Prints the hashes of the files of a list, which identify the networks.
model_hashes() { awk '$1 == "file" { print $4 }' "$1"; } # list

# Succeeds if every file of a list is in a folder, under any name, at most three folders deep.
has_model_files() { # folder list
    local sizes found
    sizes=$(awk '$1 == "file" { printf "%s-size %sc", or, $3; or = " -o " }' "$2")
    # shellcheck disable=SC2086
    found=$(find -L "$1" -maxdepth 4 -type f \( $sizes \) -exec sha256sum {} + 2>/dev/null |
        cut -d ' ' -f 1)
    [ -z "$(comm -13 <(sort -u <<<"$found") <(model_hashes "$2" | sort -u))" ]
}

# Sets model_files. Uses, in this order: --files or MIEN_MODEL_FILES, which must have the files; a
# folder beside the repository; the downloads of an earlier setup; the network.
find_model_files() {
    if [ -n "$files" ] && ! has_model_files "$files" "$model_list"; then
        fail "$files does not contain the files of scripts/model-files.txt.
Copy them there, under any name, or leave out --files and MIEN_MODEL_FILES to download them."
    fi
    if find_listed "$model_list"; then model_files=$found; else model_fault=$fault; return 1; fi
}

# Sets presentation_files, from the same places. A folder named with --files need not have them, but
# then nothing is downloaded.
find_presentation_files() {
    if find_listed "$presentation_list"; then
        presentation_files=$found
    else
        presentation_fault=$fault
        return 1
    fi
}

# Sets found to a folder with the files of a list, or fault to the reason that there is none.
find_listed() { # list
    local folder
    fault="the files of scripts/$(basename "$1") are not in $files"
    for folder in "$files" "$repository/../shared/data/models" "$downloads/models"; do
        if [ -d "$folder" ] && has_model_files "$folder" "$1"; then
            found=$folder
            return
        fi
    done
    if [ $mode = check ] || [ -n "$files" ]; then return 1; fi
    mkdir -p "$downloads"
    doing=download
    if run "$repository/scripts/fetch" "$1" "$downloads/models"; then
        found=$downloads/models
        return
    fi
    fault=$(tail -n 1 "$log")
    return 1
}
