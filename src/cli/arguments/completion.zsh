#compdef animal-store
# Completes animal-store in zsh. To load it, in ~/.zshrc after compinit: source <(animal-store completion zsh)

_animal_store() {
  local -a answer candidates
  local line
  answer=("${(@f)$("${words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
  case "${answer[1]}" in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in "${(@)answer[2,-1]}"; do
        candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      _describe animal-store candidates
      ;;
  esac
}
if [[ "${funcstack[1]}" == _animal_store ]]; then _animal_store "$@"; else compdef _animal_store animal-store; fi
