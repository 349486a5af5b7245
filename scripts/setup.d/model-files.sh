# shellcheck shell=bash
# Finds or downloads the network of the better model pack, which the repository does not contain.
# Needs progress.sh, commands.sh, and downloads.sh.

readonly model_list=$repository/scripts/model-files.txt
# The folder with the network's files, or empty.
model_files=''
# Why it is empty, in the words of scripts/fetch.
model_fault=''

# Prints the hashes of the files, which identify the network.
model_hashes() { awk '$1 == "file" { print $4 }' "$model_list"; }

# Succeeds if every file is in a folder, under any name, at most three folders deep.
has_model_files() { # folder
    local sizes found
    sizes=$(awk '$1 == "file" { printf "%s-size %sc", or, $3; or = " -o " }' "$model_list")
    # shellcheck disable=SC2086
    found=$(find -L "$1" -maxdepth 4 -type f \( $sizes \) -exec sha256sum {} + 2>/dev/null |
        cut -d ' ' -f 1)
    [ -z "$(comm -13 <(sort -u <<<"$found") <(model_hashes | sort -u))" ]
}

# Sets model_files. Uses, in this order: --files or MIEN_MODEL_FILES, which must have the files; a
# folder beside the repository; the downloads of an earlier setup; the network.
find_model_files() {
    local folder
    if [ -n "$files" ]; then
        has_model_files "$files" || fail "$files does not contain the files of scripts/model-files.txt.
Copy them there, under any name, or leave out --files and MIEN_MODEL_FILES to download them."
        model_files=$files
        return
    fi
    for folder in "$repository/../shared/data/models" "$downloads/models"; do
        if [ -d "$folder" ] && has_model_files "$folder"; then model_files=$folder; return; fi
    done
    if [ $mode = check ]; then return 1; fi
    mkdir -p "$downloads"
    doing=download
    if run "$repository/scripts/fetch" "$model_list" "$downloads/models"; then
        model_files=$downloads/models
        return
    fi
    model_fault=$(tail -n 1 "$log")
    return 1
}
