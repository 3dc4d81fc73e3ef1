# Completes animal-store in fish. To load it, in ~/.config/fish/config.fish: animal-store completion fish | source

function __animal_store
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] complete -- $words[2..] 2>/dev/null)
    switch $answer[1]
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
        case words
            printf '%s\n' $answer[2..]
    end
end
complete -c animal-store -f -a '(__animal_store)'
